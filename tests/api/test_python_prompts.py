"""``jdbpy.sync`` at the plain Python prompt and in IPython, as a person uses it there: at a terminal, with Ctrl-C."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, program, start_target

LAB = program("Lab")
IPYTHON = "--quick --no-banner --no-confirm-exit --TerminalInteractiveShell.term_title=False"


_CHAINED = r"^(?:During handling of the above exception|The above exception was the direct cause)"


def raised(shown: str) -> list[str]:
    """Return the class of each exception of a traceback, up to the next prompt: the last line of each of its parts.

    No other line counts: IPython shows source with its docstrings, broken anywhere, and those name exceptions too.
    """
    *parts, last = re.split(_CHAINED, shown.rstrip(), flags=re.MULTILINE)
    tails = [*parts, last[: last.rindex("\n")]]  # without the prompt
    return [part.rstrip().splitlines()[-1].partition(":")[0] for part in tails]


def test_only_what_ends_a_traceback_is_what_was_raised() -> None:
    head = "KeyboardInterrupt   Traceback (most recent call last)"
    excerpt = "    288     comes first of both. Raises S\ntateError before the\n    289     block.\n\n"
    interrupted = f"^C------\n{head}\n{excerpt}KeyboardInterrupt: \n\n"
    prompt = "In [8]: "
    assert raised(interrupted + prompt) == ["KeyboardInterrupt"]
    assert raised("^CTraceback (most recent call last):\n  File\nKeyboardInterrupt\n>>> ") == ["KeyboardInterrupt"]
    chained = f"{interrupted}During handling of the above exception, another exception occurred:\n\n{head}\n{excerpt}"
    assert raised(f"{chained}StateError: over\n\n{prompt}") == ["KeyboardInterrupt", "StateError"]


@pytest.mark.parametrize(
    ("words", "prompt"),
    [("-q -i", ">>>"), (f"-m IPython {IPYTHON}", "In [{}]:")],
    ids=["python", "ipython"],
)
async def test_ctrl_c_interrupts_a_wait_and_leaves_the_session_usable(
    words: str, prompt: str, any_jvm: Jvm, tmp_path: Path
) -> None:
    """Each way to wait: for a stop, for the end, in a loop over stops, in a loop over hits."""
    numbers = iter(range(1, 100))

    def asks() -> str:
        return prompt.format(next(numbers))

    environ = {"JAVA_HOME": any_jvm.home, "PYTHONWARNINGS": "", "PROMPT_TOOLKIT_NO_CPR": "1"}
    async with start_target(any_jvm, LAB, suspend=False) as target:
        await target.wait_output("ready")
        async with open_terminal([], tmp_path, environ=environ, shell=f'exec "$1" {words}') as terminal:

            async def type_line(line: str, *wanted: str) -> None:
                terminal.type(f"{line}\r")
                await terminal.expect(line, *wanted)
                await terminal.prompt(asks())

            await terminal.prompt(asks())
            await type_line("import jdbpy.sync as jdbpy")
            await type_line(f"vm = jdbpy.attach('{target.address}', hold='thread')")
            await type_line("point = vm.stop_at('lab.Lab.submit')")
            for waits in (
                "point.wait()",
                "vm.wait_ended()",
                "next(point.stops())",
                "[*vm.entries('lab.*').take(count=1)]",
            ):
                terminal.type(f"print('wait' + 'ing'); {waits}; print('do' + 'ne')\r")
                await terminal.expect("waiting\n")
                before = len(terminal.screen.text)
                terminal.type("\x03")
                await terminal.expect("KeyboardInterrupt")
                await terminal.prompt(asks())
                shown = terminal.screen.text[before:]
                assert raised(shown) == ["KeyboardInterrupt"], shown
                assert "done" not in shown.splitlines(), shown
            await target.send("order 5")
            await type_line("stop = point.wait(timeout=60)")
            await type_line("stop.frame.eval('amount + one', one=1)", "6")
            await type_line("stop.resume()")
            await target.wait_output("ordered 570 6")
            await type_line("vm.close()")
            terminal.type("\x04")
            assert await terminal.wait_exit() == 0
