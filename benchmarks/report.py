"""Results as tables, and the page docs/measurements.md that ``./dev bench`` writes."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.figures import Figure, Result, Unit
from tests.harness.jvms import Jvm

PAGE = Path(__file__).resolve().parents[1] / "docs" / "measurements.md"

_BY_HAND = "## What the figures say"

CONTENDERS = ("floor", "jdbpy", "jdbpy, from a script", "JDI", "jdb")


def ratios(results: Iterable[Result]) -> str:
    """A table in Markdown: a row for each work, medians and round trips of everybody, and how jdbpy compares."""
    head = ("work", "link", *CONTENDERS, "jdbpy to floor", "JDI to jdbpy", "jdb to jdbpy")
    shown = [result for result in results if any(result.figure(name) for name in CONTENDERS)]
    return _table([head, *(_work(result) for result in shown)]) if shown else ""


def spreads(results: Iterable[Result]) -> str:
    """A table in Markdown: a row for each contender, with how far its runs lie apart."""
    head = ("work", "link", "who", "runs", "lowest", "median", "highest")
    rows = [
        (
            result.work,
            result.link,
            figure.contender,
            str(len(figure.samples)),
            _amount(figure.lowest, result.unit),
            _amount(figure.median, result.unit),
            _amount(figure.highest, result.unit),
        )
        for result in results
        for figure in result.figures
    ]
    return _table([head, *rows])


def shares(results: Iterable[Result]) -> str:
    """A table in Markdown of works that were also done without a debugger; "" if there are none."""
    head = ("work", "link", "without", "jdbpy", "share of its speed", "ordinary", "JDI", "JDI to jdbpy")
    rows = []
    for result in results:
        without, jdbpy, jdi = (result.figure(name) for name in ("without", "jdbpy", "JDI"))
        if without is not None:
            shown = (_median(result.figure(name), result.unit) for name in ("without", "jdbpy", "ordinary", "JDI"))
            before, in_target, *ways = shown
            share = _ratio(without, jdbpy)
            rows.append((result.work, result.link, before, in_target, share, *ways, _ratio(jdi, jdbpy)))
    return _table([head, *rows]) if rows else ""


def clocks(results: Iterable[Result]) -> str:
    """A table in Markdown of the times that the program takes itself, and of those told of the same calls; "" if there
    are none."""
    rows = [("work", "the program's own clock", "as `calls tree` tells it", "to the program's own")]
    for result in results:
        own, told = result.figure("own clock"), result.figure("calls tree")
        if own is not None and told is not None:
            rows.append(
                (result.work, _median(own, result.unit), _median(told, result.unit), f"{told.median / own.median:.3f}")
            )
    return _table(rows) if len(rows) > 1 else ""


def page(results: Sequence[Result], jvm: Jvm) -> str:
    """The whole page; what stands in it by hand, from ``_BY_HAND`` on, is kept."""
    _, mark, notes = PAGE.read_text(encoding="utf-8").partition(_BY_HAND)
    return f"""# Measurements

Written by `./dev bench` on one machine ({os.cpu_count()} processors, Java {jvm.version}, Python
{platform.python_version()}). Yours will give other times, so look at the ratios. Whatever stands in one row was
measured in one run, every time on a fresh JVM; times are medians.

{ratios(results)}

* The **link** is a relay on the same machine that delays every byte by half the time given, in each direction; opening
  the connection costs a round trip too. It keeps the order, and packets sent together arrive together. On loopback
  nothing is in between, but for `attach` a relay without delay.
* The **floor** is a bare socket that sends at once whatever can be sent at once. Nothing can be faster without asking
  less.
* **jdbpy** is the command line, and for `attach` its prompt on a terminal; **from a script** is the Python interface.
* **JDI** is a program on com.sun.jdi, what the usual IDEs stand on, written as plainly as it usually is.
* **Trips** are the round trips that were paid one after the other: how often the debugger had to wait for an answer
  before it could ask on. Connecting and the handshake are not counted.

Beside the program without a debugger, or without a breakpoint:

{shares(results)}

Times by two clocks, of the same calls:

{clocks(results)}

How far the runs lie apart:

{spreads(results)}

One case by itself, as often as you like: `./dev bench where-all --runs 20`; `./dev bench --help` lists them. The same
relay stands between any debugger and any JVM: `python -m benchmarks.relay --rtt 0.1 127.0.0.1:5005`.

{mark}{notes}"""


def _work(result: Result) -> tuple[str, ...]:
    figures = [result.figure(name) for name in CONTENDERS]
    floor, jdbpy, _, jdi, jdb = figures
    return (
        result.work,
        result.link,
        *(_median(figure, result.unit) for figure in figures),
        _ratio(jdbpy, floor),
        _ratio(jdi, jdbpy),
        _ratio(jdb, jdbpy),
    )


def _median(figure: Figure | None, unit: Unit) -> str:
    if figure is None:
        return ""
    trips = "" if figure.waves is None else f", {round(figure.waves, 1):g} {'trip' if figure.waves == 1 else 'trips'}"
    return _amount(figure.median, unit) + trips


def _ratio(figure: Figure | None, to: Figure | None) -> str:
    if figure is None or to is None:
        return ""
    ratio = figure.median / to.median
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2f}"


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    head, *body = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, tuple("---" for _ in head), *body))


def _amount(amount: float, unit: Unit) -> str:
    if unit is Unit.BYTES:
        return f"{amount / 1e6:.1f} MB"
    if amount < 0.001:
        return f"{amount * 1e6:.1f} µs" if amount >= 1e-7 else f"{amount * 1e9:.1f} ns"
    if amount < 0.01:
        return f"{amount * 1e3:.1f} ms"
    return f"{amount * 1e3:.0f} ms" if amount < 1 else f"{amount:.1f} s"
