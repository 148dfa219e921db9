"""Results as a table, and the page docs/performance.md that ``./dev bench`` writes."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path

from benchmarks.figures import Figure, Result
from tests.harness.jvms import Jvm

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"

_HEAD = ("work", "link", "who", "median", "lowest to highest", "round trips", "x floor", "x faster than jdb")


def table(results: Iterable[Result]) -> str:
    """A table in Markdown, a row for each contender."""
    rows = [_HEAD, tuple("---" for _ in _HEAD)]
    for result in results:
        rows += [_row(result, figure) for figure in result.figures]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def page(results: Iterable[Result], jvm: Jvm) -> str:
    """The whole page."""
    return f"""# Performance

Written by `./dev bench` on one machine ({os.cpu_count()} processors, Java {jvm.version}, Python
{platform.python_version()}); yours will give other times, so look at the ratios. Everything in a row of the same work
was measured in one run, each on a fresh JVM.

* The **link** is a relay on the same machine that delays every byte by half the time given, in each direction; opening
  the connection costs a round trip too. It keeps the order, and packets sent together arrive together.
* The **floor** is a bare socket that sends at once whatever can be sent at once. Nothing can be faster without asking
  less.
* **jdbpy** is the command line (`attach` is the prompt on a terminal), **jdbpy, from a script** the Python interface.
* **Round trips** are those that were paid one after the other: how often the debugger had to wait for an answer before
  it could ask on. Connecting and the handshake are not counted.

{table(results)}
"""


def _row(result: Result, figure: Figure) -> tuple[str, ...]:
    floor, jdb = result.figure("floor"), result.figure("jdb")
    spread = f"{_time(figure.lowest)} to {_time(figure.highest)}" if len(figure.samples) > 1 else "one run"
    return (
        result.work,
        result.link,
        figure.contender,
        _time(figure.median),
        spread,
        f"{figure.waves:g}" if figure.waves is not None else "",
        f"{figure.median / floor.median:.2f}" if floor and figure is not floor else "",
        f"{jdb.median / figure.median:.1f}" if jdb and figure is not jdb else "",
    )


def _time(seconds: float) -> str:
    if seconds < 0.001:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
