"""``jdbpy.sync`` at the plain Python prompt and in IPython, as a person uses it there: at a terminal, with Ctrl-C."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, program, start_target

LAB = program("Lab")
IPYTHON = "--quick --no-banner --no-confirm-exit --TerminalInteractiveShell.term_title=False"


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
                "[*vm.calls('lab.*').take(count=1)]",
            ):
                terminal.type(f"print('wait' + 'ing'); {waits}; print('do' + 'ne')\r")
                await terminal.expect("waiting\n")
                before = len(terminal.screen.text)
                terminal.type("\x03")
                await terminal.expect("KeyboardInterrupt")
                await terminal.prompt(asks())
                shown = terminal.screen.text[before:]
                assert re.search(r"^KeyboardInterrupt", shown, re.MULTILINE), shown
                assert not re.search(r"^(\w+Error|done)", shown, re.MULTILINE), shown
            await target.send("order 5")
            await type_line("stop = point.wait(timeout=60)")
            await type_line("stop.frame.eval('amount + one', one=1)", "6")
            await type_line("stop.resume()")
            await target.wait_output("ordered 570 6")
            await type_line("vm.close()")
            terminal.type("\x04")
            assert await terminal.wait_exit() == 0
