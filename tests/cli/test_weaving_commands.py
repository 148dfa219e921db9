"""Conditions that the target computes, by command: the setting, what is listed, what is taken out."""

from __future__ import annotations

import pytest

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

HEATED = program("Heated")


@pytest.mark.every_java
async def test_the_words_of_the_commands(jvm: Jvm) -> None:
    lines = (
        "info woven",
        "unweave",
        "set in-target eager",
        f"break {HEATED.at('own')} if i == 7 || i == 2_000_000",
        "run",
        "breakpoints",
        "info woven",
        "disassemble --woven",
        "disassemble",
        "weave 7",
        f"break {HEATED.at('own')} if i == 8",
        "unweave 2",
        "delete 2",
        "unweave",
        "breakpoints",
        "info woven",
        "weave 1",
        "set in-target off",
        f"break {HEATED.at('own')} in-target",
        "breakpoints",
    )
    done = await jdbpy(*launching(HEATED.on(jvm), "--keep-going", *script(*lines)), jvm=jvm)
    out = done.out
    assert "the target runs its own code only (in-target is auto)" in out
    assert "if i == 7 || i == 2_000_000; in the target" in out
    assert "\nHeated  1  main\n" in out
    assert out.count("Method Jdbpy__") == 1
    assert out.count("nothing is woven: the target runs its own code only") == 1
    assert "checks of other breakpoints stay in Heated" in out
    assert out.count("Heated runs its own code again") == 1
    assert "if i == 7 || i == 2_000_000; ordinary: it was taken out of the target" in out
    assert "breakpoint 1 is ordinary: it was taken out of the target" in out, "of 'info woven'"
    assert "no breakpoint 7" in done.err
    assert "if i == 7 || i == 2_000_000; in-target" in out, "asked for by 'weave 1'"
    assert "ordinary: it has no condition; in-target" in out, "asked for when it was set"
