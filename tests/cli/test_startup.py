"""What a batch loads: nothing that it does not use. How long it takes is for the benchmarks."""

from __future__ import annotations

import subprocess
import sys

import trio

from tests.cli.process import environment, script
from tests.harness import LIMIT, Jvm, program, start_target, within

LEDGER = program("Ledger")
HEAVY = {"construct", "tree_sitter", "tree_sitter_java", "rich", "prompt_toolkit", "asyncio", "argparse"}


async def loaded_by(address: str, *commands: str) -> set[str]:
    """The modules that a batch of these commands loads."""
    code = "import sys; from jdbpy.cli.main import main; main(sys.argv[1:]); print(*sys.modules)"
    with within(LIMIT):
        done = await trio.run_process(
            [sys.executable, "-c", code, "attach", address, *script(*commands)],
            capture_stdout=True,
            env=environment(None),
        )
    return set(done.stdout.decode().splitlines()[-1].split())


async def test_a_batch_loads_nothing_heavy(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        loaded = await loaded_by(target.address, "stop in Ledger.total", "cont", "where", "locals", "next")
    assert "jdbpy.cli.batch" in loaded
    assert not loaded & HEAVY
    assert not {name for name in loaded if name.startswith(("jdbpy.cli.repl.loop", "jdbpy.cli.json"))}


async def test_attaching_loads_what_it_uses(any_jvm: Jvm) -> None:
    """Commands, and what a stop and values need, are loaded when there is a command, a stop, a value."""
    async with start_target(any_jvm, LEDGER, suspend=False) as target:
        loaded = await loaded_by(target.address, "version")
    commands = {name for name in loaded if name.startswith("jdbpy.cli.commands.")}
    assert commands == {"jdbpy.cli.commands.names", "jdbpy.cli.commands.leaving"}  # the table of names, one command
    unused = ("jdbpy.session.values", "jdbpy.session.values.stack", "jdbpy.session.execution", "jdbpy.session.sources")
    transports = ("jdbpy.session.connect.transports", "jdbpy.session.connect.transport_process")
    assert not {name for name in loaded if name.startswith((*unused, *transports))}


async def test_a_condition_loads_nothing_that_changes_code(any_jvm: Jvm) -> None:
    """What puts conditions into the target is loaded when one is hot."""
    async with start_target(any_jvm, LEDGER) as target:
        loaded = await loaded_by(target.address, "stop in Ledger.total if 1 < 2", "cont", "breakpoints", "next")
    assert "jdbpy.session.breakpoints.until_hot" in loaded
    unused = ("jdbpy.session.instrumentation", "jdbpy.session.weaving", "jdbpy.session.eval.emit")
    assert not {name for name in loaded if name.startswith(unused)}


def test_colors_load_neither_tables_nor_lexers() -> None:
    """These come with the first result that has a table, the first stop that shows source."""
    code = "import sys, jdbpy.cli.output.terminal; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"rich.table", "rich.syntax", "pygments"}
