"""A stand-alone page with a flame graph and a table of the hottest methods."""

from __future__ import annotations

from jdbpy.drawing import page
from jdbpy.drawing.flame import flame_graph
from jdbpy.drawing.stacks import WeightedStacks
from jdbpy.drawing.units import in_words

_STYLE = """
body { margin: 16px; background: var(--paper); color: var(--ink); font: 13px ui-monospace, monospace }
table { border-collapse: collapse; margin-top: 16px }
td, th { padding: 2px 12px; text-align: right; border-bottom: 1px solid var(--line) }
td:last-child, th:last-child { text-align: left }
"""

TOP = 20


def html_page(stacks: WeightedStacks, *, before: WeightedStacks | None = None) -> str:
    """Return the HTML page of a profile; with ``before``, of how it has changed."""
    title = page.text(stacks.title or "Profile")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{page.STYLE}{_STYLE}</style></head>\n<body>\n{flame_graph(stacks, before=before)}"
        f"{hot_table(stacks)}\n</body></html>\n"
    )


def hot_table(stacks: WeightedStacks, top: int = TOP) -> str:
    """Return the hottest methods as an HTML table."""
    rows = "".join(
        f"<tr><td>{100 * stacks.share(each.own):.1f}%</td><td>{page.text(in_words(each.own, stacks.unit))}</td>"
        f"<td>{100 * stacks.share(each.total):.1f}%</td><td>{page.text(each.name)}</td></tr>\n"
        for each in stacks.methods()[:top]
    )
    return f"<table><tr><th>own</th><th></th><th>total</th><th>method</th></tr>\n{rows}</table>"
