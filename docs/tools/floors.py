"""Draws the floors of jdbpy as SVG, out of its imports: ``./dev generate floors``.

A floor stands above those that it imports. A line leads from it to each of them that it does not also reach through
another; so the picture has few lines, and shows every dependency. A test compares it with the imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

import jdbpy
from docs.tools.trees import statements, tree_of

PACKAGE = Path(jdbpy.__file__).parent
PICTURE = Path(__file__).resolve().parents[1] / "pictures" / "floors.svg"

FRONT_ENDS = ("cli", "jdb", "api", "sync", "dap", "demo")
GROUND = ("wire", "process", "errors", "record", "json_form", "escape", "files", "garbage")

WIDTH, MARGIN = 980, 20
BOX_HEIGHT, ROW_HEIGHT = 26, 62


def session_floors() -> dict[str, set[str]]:
    """Return the packages and modules of ``session``, each with those that it imports."""
    floors: dict[str, set[str]] = {}
    for path in sorted((PACKAGE / "session").rglob("*.py")):
        name = path.relative_to(PACKAGE / "session").parts[0].removesuffix(".py")
        if name != "__init__":
            floors.setdefault(name, set()).update(_imported(path))
    return {name: (imported & floors.keys()) - {name} for name, imported in floors.items()}


def _imported(path: Path) -> Iterator[str]:
    for node in statements(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                parts = f"{node.module}.{alias.name}".split(".")
                if parts[:2] == ["jdbpy", "session"]:
                    yield parts[2]


def levels(floors: dict[str, set[str]]) -> dict[str, int]:
    """Return how high each floor stands: one above the highest that it imports. Raises RecursionError for a circle."""
    found: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in found:
            found[name] = 1 + max((level(each) for each in floors[name]), default=-1)
        return found[name]

    for name in floors:
        level(name)
    return found


def reduced(floors: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports without those that others lead to as well."""

    def reach(name: str) -> set[str]:
        return floors[name].union(*(reach(each) for each in floors[name]))

    return {
        name: {each for each in imported if not any(each in reach(other) for other in imported - {each})}
        for name, imported in floors.items()
    }


def draw() -> str:
    """Return the picture."""
    floors = session_floors()
    level_of = levels(floors)
    rows: list[list[str]] = [[] for _ in range(max(level_of.values()) + 1)]
    for name, level in sorted(level_of.items()):
        rows[level].append(name)
    front = [name for name in FRONT_ENDS if (PACKAGE / name).exists()]
    ground = [name for name in GROUND if (PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists()]
    top = MARGIN + ROW_HEIGHT
    height = top + ROW_HEIGHT * (len(rows) + 1) + MARGIN
    lines = reduced(floors)
    place: dict[str, tuple[float, int]] = {}
    for level, names in enumerate(rows):
        names.sort(key=lambda name: _middle([place[other][0] for other in lines[name]]))
        y = top + ROW_HEIGHT * (len(rows) - 1 - level) + 18
        for number, name in enumerate(names):
            place[name] = (MARGIN + (WIDTH - 2 * MARGIN) * (number + 0.5) / len(names), y)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        *_band("front ends, which use public names only", front, MARGIN - 12, "#e8f1fb"),
        f'<rect x="8" y="{top - 8}" width="{WIDTH - 16}" height="{ROW_HEIGHT * len(rows) + 4}" rx="6" fill="#f6f6f2"/>',
        f'<text x="{MARGIN}" y="{top + 8}" fill="#666666">session</text>',
    ]
    for name, imported in sorted(lines.items()):
        x, y = place[name]
        for other in sorted(imported):
            to_x, to_y = place[other]
            out.append(
                f'<path d="M{x:.0f} {y + BOX_HEIGHT} C{x:.0f} {y + BOX_HEIGHT + 22} {to_x:.0f} {to_y - 22} '
                f'{to_x:.0f} {to_y}" fill="none" stroke="#9aa5b1"/>'
            )
    for name, (x, y) in sorted(place.items()):
        out += _box(name, x, y, "#ffffff")
    out += _band("wire, and what stands below all", ground, top + ROW_HEIGHT * len(rows) + 6, "#eef5ea")
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _middle(places: list[float]) -> float:
    """Return where a box stands best, so that its lines are short."""
    return sum(places) / len(places) if places else 0.0


def _band(title: str, names: list[str], y: int, color: str) -> Iterator[str]:
    yield f'<rect x="8" y="{y}" width="{WIDTH - 16}" height="{ROW_HEIGHT - 10}" rx="6" fill="{color}"/>'
    yield f'<text x="{MARGIN}" y="{y + 15}" fill="#666666">{escape(title)}</text>'
    for number, name in enumerate(names):
        x = MARGIN + (WIDTH - 2 * MARGIN) * (number + 0.5) / len(names)
        yield from _box(name, x, y + 20, "#ffffff")


def _box(name: str, x: float, y: int, color: str) -> Iterator[str]:
    width = 8.2 * len(name) + 18
    yield (
        f'<rect x="{x - width / 2:.0f}" y="{y}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="4" fill="{color}" '
        f'stroke="#4a5568"/>'
    )
    yield f'<text x="{x:.0f}" y="{y + 17}" text-anchor="middle" fill="#1a202c">{escape(name)}</text>'


def write() -> None:
    """Write the picture."""
    PICTURE.write_text(draw(), encoding="utf-8")
