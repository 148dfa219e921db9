"""Circles in what a target says: every command comes to an end, and says what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import jdbpy
from jdbpy.cli.batch import Batch
from jdbpy.cli.settings import Settings
from jdbpy.process.scripts import Script, ScriptLines
from jdbpy.wire.messages import reference_type
from tests.harness import LIMIT
from tests.hostile.agent import CIRCLES, circling, no_endless_loop
from tests.hostile.mutator import Paper

COMMANDS = (
    "stop in Played.main",
    "class Played",
    "fields Played",
    "methods Played",
    "print Played.nothing",
    "print Played.nothing()",
    "print Played.count + Other.ownOther",
    "print (Third) null",
    "threadgroups",
    "threads",
    "thread info 1",
    "where all",
    "watch Played.nothing",
    "catch Played",
    "classes *",
)


async def run(circle: str, commands: Sequence[str] = COMMANDS) -> tuple[str, int]:
    """What the commands write, and the exit status."""
    paper = Paper()
    jvm = circling(circle)
    with no_endless_loop():
        async with jvm.listening() as address, jdbpy.attach_session(address) as session:
            batch = Batch(session, paper, Settings(), timeout=LIMIT, keep_going=True)
            status = await batch.run(ScriptLines([Script(command="\n".join(commands))]))
    assert not jvm.world.suspended()
    return paper.text, status


@pytest.mark.parametrize("circle", CIRCLES)
async def test_every_command_ends(circle: str) -> None:
    text, status = await run(circle)
    assert "fault" not in text
    assert status in (0, 1)


@pytest.mark.parametrize("circle", [each for each in CIRCLES if "group" not in each])
async def test_a_circle_of_types_is_said(circle: str) -> None:
    text, status = await run(circle, ["print Played.nothing", "class Played"])
    assert status == 1
    assert "lead in a circle, by what the target says" in text


async def test_a_group_below_itself_is_shown_once() -> None:
    text, status = await run("its own group", ["threadgroups"])
    assert status == 0
    assert text.count("main") == 1


async def test_generic_signatures_that_circle() -> None:
    """The links are sound, and two classes have the same name: signatures are looked up by names."""
    jvm = circling("its own group")

    def signature(command: reference_type.SignatureWithGeneric) -> reference_type.SignatureWithGenericReply:
        return reference_type.SignatureWithGenericReply("LPlayed;", "<T:TT;>LPlayed<TT;>;")

    jvm.on(reference_type.SignatureWithGeneric, signature)
    with no_endless_loop():
        async with jvm.listening() as address, jdbpy.attach_session(address) as session:
            for expression in ("(Other) (Played) null", "Played.count", "(Played) null == (Third) null"):
                try:
                    await session.values.evaluate(expression)
                except jdbpy.JdbpyError as error:
                    assert error.message
