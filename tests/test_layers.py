"""Imports point one way, cli -> session -> wire -> errors, and heavy libraries are loaded only when they are used."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import jdbpy
from jdbpy.record import Record

PACKAGE = Path(jdbpy.__file__).parent

GROUND = ("errors", "escape", "files", "json_form", "record")
"""Modules below all floors: errors, Record, how text of the target is made safe, how private files are opened."""

MAY_IMPORT = {
    "errors": set[str](),
    "escape": set[str](),
    "files": set[str](),
    "json_form": {"record"},
    "record": {"json_form"},  # to_dict
    "wire": {*GROUND, "wire"},
    "session": {*GROUND, "wire", "session"},
    "demo": {*GROUND, "session", "demo"},
    "cli": {*GROUND, "session", "demo", "cli"},
}
"""What each part of jdbpy may import of jdbpy."""

FLOORS = [
    "concurrency",
    "options",
    "model",
    "events",
    "selection",
    "suspension",
    "streams",
    "types",
    "invocations",
    "foresight",
    "requests",
    "answers",
    "target",
    "leaving",
    "local_paths",
    "opening",
    "sources",
    "code",
    "values",
    "threads",
    "tracing",
    "stack",
    "stops",
    "strata",
    "execution",
    "points",
    "local_classes",
    "locks",
    "fast_hits",
    "pump",
    "eval",
    "vm",
    "classes",
    "modules",
    "heap",
    "breakpoints",
    "hotswap",
    "watchdog",
    "components",
    "session",
]
"""The packages and single modules of ``session``, from the ground up: each imports what stands before it."""

UPWARD = {
    ("code", "breakpoints"): 1,
    ("code", "classes"): 2,
    ("code", "strata"): 1,
    ("opening", "session"): 2,
    ("points", "breakpoints"): 3,
    ("requests", "points"): 2,
    ("requests", "tracing"): 1,
    ("strata", "classes"): 1,
    ("target", "local_classes"): 2,
    ("target", "opening"): 1,
    ("target", "points"): 1,
    ("target", "stack"): 2,
    ("target", "stops"): 6,
    ("target", "strata"): 1,
    ("target", "values"): 4,
    ("threads", "eval"): 5,
    ("tracing", "points"): 6,
    ("types", "code"): 2,
    ("types", "strata"): 5,
    ("values", "eval"): 22,
    ("values", "stack"): 3,
    ("values", "threads"): 1,
}
"""Imports that point up nevertheless, by their number. The table may only shrink, and is to end empty."""

HEAVY = {
    "construct": "wire",
    "tree_sitter": "session",
    "tree_sitter_java": "session",
    "prompt_toolkit": "cli",
    "rich": "cli",
}
"""Libraries that are slow to import, and the one part that may use each."""


class Import(Record):
    """One imported module with the names taken from it; ``name`` is "" for ``import module``."""

    file: str
    line: int
    module: str
    name: str


@functools.cache
def imports(part: str) -> tuple[Import, ...]:
    """Every import of a part of jdbpy, also those in functions and under TYPE_CHECKING."""
    return tuple(_imports(part))


def _imports(part: str) -> Iterator[Import]:
    directory = PACKAGE / part
    for file in [PACKAGE / f"{part}.py"] if not directory.is_dir() else sorted(directory.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = str(file.relative_to(PACKAGE.parent))
            if isinstance(node, ast.Import):
                yield from (Import(name, node.lineno, alias.name, "") for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}:{node.lineno}: a relative import"
                yield from (Import(name, node.lineno, node.module or "", alias.name) for alias in node.names)


def part_of(found: Import) -> str:
    """The part of jdbpy that is imported: "wire"; "jdbpy" for the public interface; "" for other packages."""
    first, *rest = found.module.split(".")
    if first != "jdbpy":
        return ""
    return rest[0] if rest else "jdbpy"


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_imports_point_one_way(part: str) -> None:
    wrong = [
        f"{found.file}:{found.line}: {found.module} {found.name}"
        for found in imports(part)
        if part_of(found)
        and part_of(found) not in MAY_IMPORT[part]
        and not (part_of(found) == "jdbpy" and part in ("cli", "demo"))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_command_line_uses_public_names_of_the_session_only() -> None:
    wrong = [
        f"{found.file}:{found.line}: {found.module} {found.name}"
        for found in imports("cli")
        if part_of(found) == "session" and found.name not in jdbpy.__all__
    ]
    assert not wrong, "\n".join(wrong)


def test_the_floors_of_the_session() -> None:
    statements = {(each.file, each.line): each for each in imports("session") if part_of(each) == "session"}
    found: Counter[tuple[str, str]] = Counter()
    for each in statements.values():
        floor = Path(each.file).parts[2].removesuffix(".py")
        other = [*each.module.split("."), each.name][2]
        assert {floor, other} <= set(FLOORS), f"{each.file}:{each.line}: {floor} or {other} is on no floor"
        found[floor, other] += FLOORS.index(floor) < FLOORS.index(other)
    assert {pair: count for pair, count in found.items() if count} == UPWARD


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_heavy_libraries_stay_in_their_part(part: str) -> None:
    wrong = [
        f"{found.file}:{found.line}: {found.module}"
        for found in imports(part)
        if HEAVY.get(found.module.partition(".")[0], part) != part
    ]
    assert not wrong, "\n".join(wrong)


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh Python has loaded after ``code``."""
    report = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    command = [sys.executable, "-c", f"{code}\n{report}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_jdbpy_loads_nothing_heavy() -> None:
    assert not loaded_by("import jdbpy") & {"trio", *HEAVY}


def test_attaching_loads_nothing_heavy() -> None:
    assert not loaded_by("import jdbpy; jdbpy.attach, jdbpy.Session, jdbpy.LaunchCommand") & set(HEAVY)


def test_help_loads_not_even_trio() -> None:
    code = (
        "import contextlib\nwith contextlib.suppress(SystemExit):\n    import jdbpy.cli.main as m; m.main(['--help'])"
    )
    assert not loaded_by(code) & {"trio", *HEAVY}
