"""``./dev bench``: runs the cases and writes docs/measurements.md, or some of them and prints the table."""

from __future__ import annotations

import argparse
import os
import sys

import trio

from benchmarks import report
from benchmarks.bench import Bench, choose_jvm
from benchmarks.cases import CASES
from benchmarks.figures import Effort, Result


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"some of: {', '.join(CASES)} (all, and the page)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each contender, at most (%(default)s)")
    parser.add_argument("--seconds", type=float, default=4, help="after which no more runs begin (%(default)s)")
    parser.add_argument("--alone", action="store_true", help="leave out JDI and jdb: to compare two trees of jdbpy")
    parser.add_argument("--java", type=int, metavar="VERSION", help="the Java to measure on (the oldest)")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.cases if name not in CASES]
    if unknown:
        parser.error(f"no case {unknown[0]}; there are {', '.join(CASES)}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # whoever starts Python a second time need not compile again
    effort = Effort(arguments.runs, arguments.seconds)
    bench = Bench(choose_jvm(arguments.java), effort, with_rivals=not arguments.alone)
    results, failed = trio.run(_run, bench, arguments.cases or list(CASES))
    if not (arguments.cases or arguments.alone or failed):
        report.PAGE.write_text(report.page(results, bench.jvm), encoding="utf-8")
    tables = (report.ratios(results), report.shares(results), report.clocks(results), report.spreads(results))
    print(*filter(None, tables), sep="\n\n")
    if failed:
        sys.exit(f"not measured: {', '.join(failed)}; the page stays as it was")


async def _run(bench: Bench, names: list[str]) -> tuple[list[Result], list[str]]:
    """Return the results of the cases, and the names of those that have failed."""
    results: list[Result] = []
    failed: list[str] = []
    for name in names:
        print(f"measuring {name} ...", end=" ", file=sys.stderr, flush=True)
        start = trio.current_time()
        try:
            results += await CASES[name](bench)
        except Exception as error:  # what others have measured is not lost
            print(f"failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            failed.append(name)
            continue
        print(f"{trio.current_time() - start:.0f} s", file=sys.stderr, flush=True)
    return results, failed


if __name__ == "__main__":
    main()
