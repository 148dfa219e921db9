"""Helpers that keep values instead of stopping: a logpoint's ring, a counter. Nothing in the target ever waits.

No exception leaves them: what goes wrong while an entry is made, such as a stack that is full, loses the entry.

``check`` puts the values of a hit into static arrays of the helper, and the debugger reads these while everything runs.

* The ring (``ring``) has after times and threads ``numbers``, where a count chooses: which hit it is; and ``v0``,
  ``v1``...: the values.
* ``FAILURES``, an AtomicLong, and ``thrown``: how often a condition or value threw something, and the last of these.
  That comes to ``failed``, as in other helpers: a breakpoint there has the debugger say why.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.in_target.weave.condition_helper import HelperWriter, pass_number
from jdbpy.session.in_target.weave.records import (
    COUNTER,
    FAILED,
    OBJECT,
    STRING,
    CheckCount,
    Emitted,
    Filters,
    HelperClass,
)
from jdbpy.session.in_target.weave.ring import RingColumn, RingWriter
from jdbpy.session.java.edit.assembler import PUBLIC, VOLATILE, Assembler, Label


class LogHelper(HelperClass):
    """A helper that keeps values: ``columns`` are its arrays, ``times`` and ``threads`` first, of ``size`` places. With
    ``size`` 0 there is no ring: hits are counted in ``HITS`` only."""

    size: int = 0
    columns: tuple[RingColumn, ...] = ()


def log_class(
    name: str,
    host: str,
    condition: Emitted | None,
    values: Sequence[Emitted] = (),
    filters: Filters = Filters(),
    count: CheckCount = CheckCount(),
    *,
    size: int = 16_384,
    text: int = 0,
) -> LogHelper:
    """Return a helper that keeps the values of hits which pass the filters, whose condition holds, whose number fits.

    ``size`` is a power of two, or 0: then hits are counted, and nothing is kept. Of objects the texts are kept, up to
    ``text`` characters, or references if that is 0; strings are kept as they are. Raises CodeTooLong, PoolFull.
    """
    values = [_as_text(each, text) if text and each.signature == OBJECT else each for each in values] if size else []
    writer = HelperWriter(name, host, [*([condition] if condition is not None else []), *values], filters)
    counted = writer.counts(count)
    if not size and not counted:
        writer.counter("HITS", count.start)
    columns = [RingColumn(f"v{number}", each.signature) for number, each in enumerate(values)]
    ring = RingWriter(writer, size, [*([RingColumn("numbers", "J")] if counted else []), *columns])

    def before(code: Assembler, _: Sequence[int], out: Label) -> None:
        if counted:
            ring.number = code.new_local("J")
            pass_number(code, count, out, ring.number)
        if size:
            ring.drop_if_full(code, out)
        elif not counted:
            code.get_static(name, "HITS", f"L{COUNTER};")
            code.call(COUNTER, "incrementAndGet", "()J")
            code.op("pop2")

    def act(code: Assembler, locals_: Sequence[int], out: Label) -> None:
        if size:
            kept = {each.field: (each.signature, local) for each, local in zip(columns, locals_, strict=True)}
            ring.keep(code, {**kept, **({"numbers": ("J", ring.number)} if counted else {})}, out)

    writer.check(condition, act, values, before, caught=bool(size))
    writer.counter("FAILURES")
    writer.cls.field(PUBLIC | VOLATILE, "thrown", OBJECT)

    def failed(code: Assembler) -> None:
        code.load(OBJECT, 0)
        code.put_static(name, "thrown", OBJECT)
        code.get_static(name, "FAILURES", f"L{COUNTER};")
        code.call(COUNTER, "incrementAndGet", "()J")
        code.op("pop2")
        code.return_()

    writer.failed(failed)
    return LogHelper(
        name=name,
        data=writer.data(ring.initialize if size else None),
        call=writer.call,
        runs_methods=writer.runs_methods,
        handles=writer.handles,
        references=writer.references,
        stops=(FAILED,),
        size=size,
        columns=ring.columns if size else (),
    )


def _as_text(value: Emitted, most: int) -> Emitted:
    """Return the value, or the beginning of its text if it is an object other than a string.

    The text is made where errors are caught.
    """

    def write(code: Assembler) -> None:
        done, cut = Label(), Label()
        value.write(code)
        local = code.new_local(OBJECT)
        code.store(OBJECT, local)
        code.load(OBJECT, local)
        code.instance_of(STRING)
        code.jump("ifne", done)
        code.load(OBJECT, local)
        code.jump("ifnull", done)
        code.load(OBJECT, local)
        code.call("java/lang/Object", "toString", f"(){STRING}")
        code.store(OBJECT, local)
        code.load(OBJECT, local)
        code.jump("ifnull", done)
        code.load(OBJECT, local)
        code.check_cast(STRING)
        code.call("java/lang/String", "length", "()I")
        code.push_int(most)
        code.jump("if_icmpgt", cut)
        code.jump("goto", done)
        code.place(cut)
        code.load(OBJECT, local)
        code.check_cast(STRING)
        code.push_int(0)
        code.push_int(most)
        code.call("java/lang/String", "substring", f"(II){STRING}")
        code.store(OBJECT, local)
        code.place(done)
        code.load(OBJECT, local)

    return value.replace(calls=True, write=write)
