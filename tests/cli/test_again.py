"""`again` at the prompt: nothing is run without a yes."""

from __future__ import annotations

from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.results import Done
from jdbpy.cli.table import CliCommand
from jdbpy.record import Record
from jdbpy.wire.effects import ReadOnlyGuard
from tests.harness import Jvm, debug, program

PRICED = program("Priced")


async def test_a_person_is_asked_before_a_call_is_made_again(any_jvm: Jvm) -> None:
    """Nothing runs where the answer is no, and nothing at all where the session is read-only."""
    asked: list[str] = []
    outcomes: list[Outcome] = []

    async def refuse(question: str) -> bool:
        asked.append(question)
        return False

    async def settle(command: CliCommand, result: Record) -> Record:
        return result

    async with debug(any_jvm, PRICED) as d:
        await d.session.recorder.record("Till.price")
        await d.run_to("closed")
        context = Context(d.session, interactive=True, confirm=refuse)
        interpreter = Interpreter(TABLE, context, outcomes.append, settle)
        await interpreter.run("again 3")
        assert asked == ['run Till.price(code = "tea", count = 3, member = true) again?']
        d.session._target.conn.guard = ReadOnlyGuard(allow_suspend=True)
        await interpreter.run("again 3")
        d.session._target.conn.guard = None
        await d.session.recorder.refresh()
        assert len(d.session.recorder.calls) == 8 and len(asked) == 1
    first, second = outcomes
    assert isinstance(first.result, Done) and first.result.message == "nothing was run"
    assert second.error is not None and second.error.code == "READ_ONLY"
