"""What a batch loads: nothing that it does not use. How long it takes is for the benchmarks."""

from __future__ import annotations

import re
import sys

import trio

from tests.cli.process import environment, script
from tests.harness import LIMIT, Jvm, program, start_target

LEDGER = program("Ledger")
HEAVY = {"construct", "tree_sitter", "tree_sitter_java", "rich", "prompt_toolkit", "asyncio", "argparse"}


async def test_a_batch_loads_nothing_heavy(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        words = ["attach", target.address, *script("stop in Ledger.total", "cont", "where", "locals", "next")]
        with trio.fail_after(LIMIT):
            done = await trio.run_process(
                [sys.executable, "-X", "importtime", "-m", "jdbpy", *words],
                capture_stdout=True,
                capture_stderr=True,
                env=environment(None),
            )
    loaded = set(re.findall(r"\|\s+([\w.]+)$", done.stderr.decode(), re.MULTILINE))
    assert "jdbpy.cli.batch" in loaded
    assert not loaded & HEAVY
    assert not {name for name in loaded if name.startswith(("jdbpy.cli.repl.loop", "jdbpy.cli.json"))}
