"""``python -m tests.soak [MINUTES]``: run the trials, print what held as a table."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

import trio

from tests.harness import test_jvms
from tests.harness.processes import heed_signals
from tests.soak import table
from tests.soak.trial import Outcome, Run, Trial
from tests.soak.trials import TRIALS

_FORK = multiprocessing.get_context("fork")


def main() -> int:
    """Run what the command line asks for; return 1 if something failed."""
    parser = argparse.ArgumentParser(prog="./dev soak", description="Try for a while what must always hold.")
    parser.add_argument("minutes", nargs="?", type=float, default=5.0, help="for all trials together (default 5)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", choices=[each.name for each in TRIALS])
    parser.add_argument("--jvm", action="append", default=[], type=int, metavar="VERSION", help="17, 25...")
    parser.add_argument("--seed", type=int, default=1, help="of the first try of each trial (default 1)")
    parser.add_argument("--tries", type=int, default=0, help="at most so many of each trial")
    parser.add_argument("--json", metavar="FILE", help="write what came of it there as well")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reliability.md")
    chosen = parser.parse_args()
    trials = [trial for trial in TRIALS if not chosen.only or trial.name in chosen.only]
    jvms = [jvm for jvm in test_jvms(every=bool(chosen.jvm)) if not chosen.jvm or jvm.feature in chosen.jvm]
    if missing := sorted({*chosen.jvm} - {jvm.feature for jvm in jvms}):
        parser.error(f"no Java {', '.join(map(str, missing))} to try on: './dev jvms' fetches 8, 11 and 21")
    outcomes: list[Outcome] = []
    heed_signals()
    with tempfile.TemporaryDirectory(prefix="jdbpy-soak-") as directory:
        os.environ["HOME"] = directory  # nothing of the user's own, as an init file, takes part
        for trial in trials:
            seconds = chosen.minutes * 60 * trial.weight / sum(each.weight for each in trials)
            runs = []
            for jvm in jvms if trial.on_jvms else [None]:
                work = Path(directory, f"{trial.name}-{jvm.feature if jvm else 0}")
                work.mkdir()
                runs.append(Run(trial.name, jvm, work, seed=chosen.seed, seconds=seconds, tries=chosen.tries))
                runs[-1].say(f"for {seconds:.0f} s from seed {chosen.seed}")
            outcomes += _side_by_side(trial, runs)
    sys.stdout.write(table.plain(outcomes))
    if chosen.json:
        Path(chosen.json).write_text(json.dumps([one.to_dict() for one in outcomes], indent=1) + "\n", encoding="utf-8")
    if chosen.write:
        table.write(outcomes, chosen.minutes)
    return 1 if any(one.failures for one in outcomes) else 0


def _side_by_side(trial: Trial, runs: list[Run]) -> list[Outcome]:
    """Run a trial on all JVMs at the same time, each in a process of its own, which begins with little memory."""
    ways = []
    for run in runs:
        here, there = _FORK.Pipe(duplex=False)
        process = _FORK.Process(target=_try, args=(trial, run, there))
        process.start()
        there.close()
        ways.append((run, process, here))
    outcomes = []
    for run, process, here in ways:
        try:
            outcomes.append(here.recv())
        except EOFError:  # killed
            process.join()
            run.failed(run.seed, f"the process of the trial ended with {process.exitcode}")
            outcomes.append(run.finish())
        process.join()
    return outcomes


def _try(trial: Trial, run: Run, way: Connection) -> None:
    with run.attempt_whole():
        trio.run(trial.run, run)
    way.send(run.finish())


if __name__ == "__main__":
    sys.exit(main())
