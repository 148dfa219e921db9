"""Flame graphs as SVG: the outermost frames on top, callees below, the width proportional to the weight.

Owns the layout. The file is self-contained: its only code is its own script (``flame_script``), and it loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from jdbpy.drawing import page
from jdbpy.drawing.flame_script import SCRIPT
from jdbpy.drawing.stacks import CallBranch, WeightedStacks
from jdbpy.drawing.units import in_words

WIDTH = 1200.0
ROW = 18
TOP = 44
LETTER = 7.25
"""The width of a letter of the font, in pixels."""

_LEAST = 0.3
"""A frame that is narrower than this, in pixels, is not drawn."""

_DEEPEST = 400
"""Frames deeper than this are not drawn."""

_STYLE = """
g.f { cursor: pointer; outline: none }
g.f text { fill: #1c1c1c; pointer-events: none; font-size: 12px }
g.f:hover rect, g.f:focus rect { stroke: var(--ink); stroke-width: 1 }
g.f.above { opacity: .45 }
g.f.found rect { fill: var(--found) }
g.f.found text { fill: #ffffff; font-weight: bold }
.title { font-size: 15px; font-weight: bold }
.back { cursor: pointer; text-decoration: underline }
.search { font: 12px ui-monospace, monospace; width: 190px; box-sizing: border-box; height: 22px; padding: 1px 6px;
  color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 4px }
"""


class _Place:
    """Where a branch is drawn: left edge and width in pixels, and row."""

    __slots__ = ("branch", "depth", "left", "width")

    def __init__(self, branch: CallBranch, left: float, width: float, depth: int) -> None:
        self.branch = branch
        self.left = left
        self.width = width
        self.depth = depth


def flame_graph(stacks: WeightedStacks, *, before: WeightedStacks | None = None, title: str = "") -> str:
    """Return the flame graph of a profile as SVG; with ``before``, red marks what has grown and blue what has shrunk.

    Widths come from ``stacks``. Shares are compared, so the two profiles may differ in length.
    """
    tree = stacks.tree()
    places = list(_places(tree))
    depth = max((place.depth for place in places), default=0) + 1
    height = TOP + depth * ROW + 12
    changes = {} if before is None else _changes(stacks, before)
    drawn = "\n".join(_frame(place, stacks, changes if before is not None else None) for place in places)
    head = page.text(title or stacks.title or "Profile")
    about = page.text(in_words(stacks.total, stacks.unit)) + (
        "" if before is None else " (red: a larger share than before; blue: a smaller one)"
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height}" width="100%" \
data-width="{WIDTH:g}" data-letter="{LETTER}" role="img" aria-label="{head}">
<style>{page.STYLE}{_STYLE}</style>
<rect width="{WIDTH:g}" height="{height}" style="fill: var(--paper)"/>
<text class="title" x="4" y="18">{head}</text>
<text class="faint" x="4" y="35">{about}</text>
<text class="back" x="{WIDTH - 360:g}" y="20" style="display: none" tabindex="0">whole graph</text>
<text class="state faint" x="{WIDTH - 4:g}" y="38" text-anchor="end"></text>
<foreignObject x="{WIDTH - 196:g}" y="3" width="194" height="26"><input xmlns="http://www.w3.org/1999/xhtml" \
class="search" type="search" placeholder="search" aria-label="search for a method"/></foreignObject>
{drawn}
<script>//<![CDATA[
{SCRIPT.strip()}
//]]></script>
</svg>
"""


def _places(root: CallBranch) -> Iterator[_Place]:
    scale = WIDTH / (root.total or 1)
    waiting = [_Place(root, 0.0, WIDTH, -1)]
    while waiting:
        place = waiting.pop()
        if place.depth >= 0:
            yield place
        left = place.left
        if place.depth < _DEEPEST:
            for child in sorted(place.branch.children.values(), key=lambda each: each.name):
                width = child.total * scale
                if width >= _LEAST:
                    waiting.append(_Place(child, left, width, place.depth + 1))
                left += width


def _frame(place: _Place, stacks: WeightedStacks, changes: dict[str, float] | None) -> str:
    branch, top = place.branch, TOP + place.depth * ROW
    about = f"{branch.name}: {100 * stacks.share(branch.total):.1f}%, {in_words(branch.total, stacks.unit)}"
    if branch.own:
        about += f"; own {100 * stacks.share(branch.own):.1f}%"
    if changes is None:
        color = page.hue(branch.name)
    else:
        change = changes.get(branch.name, 0.0)
        color = page.shade(change * 4)
        about += f"; {100 * change:+.1f} points of its own"
    words = page.text(page.shortened(branch.name, int((place.width - 6) / LETTER)))
    return (
        f'<g class="f" tabindex="0" data-n="{page.text(branch.name)}" data-x="{place.left:.3f}" '
        f'data-w="{place.width:.3f}" data-y="{place.depth}"><title>{page.text(about)}</title>'
        f'<rect x="{place.left:.2f}" y="{top}" width="{max(_LEAST, place.width - 0.6):.2f}" height="{ROW - 1}" rx="2" '
        f'fill="{color}"/>'
        f'<text x="{place.left + 3:.2f}" y="{top + 13}">{words}</text></g>'
    )


def _changes(after: WeightedStacks, before: WeightedStacks) -> dict[str, float]:
    """Return by how much the self share of each method has grown: 0.1 for a rise from 20 to 30 percent."""
    earlier = {each.name: before.share(each.own) for each in before.methods()}
    later = {each.name: after.share(each.own) for each in after.methods()}
    return {name: later.get(name, 0.0) - earlier.get(name, 0.0) for name in earlier.keys() | later.keys()}


def changes(after: WeightedStacks, before: WeightedStacks) -> list[tuple[str, float, float]]:
    """Return (method, self share before, self share after), largest change first."""
    earlier = {each.name: before.share(each.own) for each in before.methods()}
    later = {each.name: after.share(each.own) for each in after.methods()}
    found = [(name, earlier.get(name, 0.0), later.get(name, 0.0)) for name in earlier.keys() | later.keys()]
    return sorted(found, key=lambda each: (-abs(each[2] - each[1]), each[0]))
