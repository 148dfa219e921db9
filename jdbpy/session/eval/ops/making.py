"""Strings and boxes of the debugger, made in the target when something there needs them: all of them at once.

Owns how they are made. Making one depends on no other, so that all arguments of a call together cost what one costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from jdbpy.errors import EvalError, JdbpyError
from jdbpy.session.eval.java.types import BOXES, STRING
from jdbpy.session.eval.operands import Elements, Entry, LocalBox, LocalString, Operand
from jdbpy.session.eval.ops.base import Run
from jdbpy.session.eval.syntax.literals import pair_surrogates
from jdbpy.session.eval.target import Invocation, Raw, Ref


async def in_target(run: Run, operands: Sequence[Operand]) -> list[Raw]:
    """Raw values for the target; strings and boxes of the debugger are made there first.

    wire: 1 trip for strings, 1 for boxes and for literals, which are interned; 0 when they are made.
    """
    values = [operand.value for operand in operands]
    if any(isinstance(value, Elements | Entry) for value in values):
        raise EvalError(
            "the elements of a slice or filter are the debugger's own and cannot be handed to the program",
            hint="use the array or collection itself",
        )
    new = dict.fromkeys(each for each in values if isinstance(each, LocalString | LocalBox) and each not in run.made)
    if new:
        await _make(run, list(new))
    return [run.made[each] if isinstance(each, LocalString | LocalBox) else each for each in values]  # type: ignore[misc]


async def _make(run: Run, wanted: Sequence[LocalString | LocalBox]) -> None:
    strings = [each for each in wanted if isinstance(each, LocalString)]
    made = await run.together(*(partial(run.target.new_string, pair_surrogates(each.text)) for each in strings))
    run.made.update(zip(strings, made, strict=True))
    # Literals are interned, so that == with the program's own constants answers as Java would (JLS 3.10.5).
    called = [each for each in wanted if isinstance(each, LocalBox) or each.interned]
    calls = [
        await _boxing(run, each) if isinstance(each, LocalBox) else await _interning(run, run.made[each])
        for each in called
    ]
    for each, outcome in zip(called, await run.target.invoke_all(calls) if calls else [], strict=True):
        if isinstance(outcome, JdbpyError):
            raise outcome
        if isinstance(outcome, Ref):
            run.made[each] = outcome


async def _boxing(run: Run, box: LocalBox) -> Invocation:
    name = BOXES[box.kind].name
    return await _call(run, None, name, "valueOf", f"({box.kind.tag})L{name.replace('.', '/')};", box.value)


async def _interning(run: Run, string: Ref) -> Invocation:
    return await _call(run, string, STRING.name, "intern", "()Ljava/lang/String;")


async def _call(run: Run, obj: Ref | None, class_name: str, name: str, signature: str, *args: Raw) -> Invocation:
    (cls,) = await run.graph.named([class_name])
    assert cls is not None
    method = cls.facts.method(name, signature)
    return Invocation(obj, cls.id, method, args)
