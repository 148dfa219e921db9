"""Imports point one way, cli -> session -> wire -> errors, and heavy libraries are loaded only when they are used."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import jdbpy
from docs.tools import circles, floors, measure
from docs.tools.trees import statements, tree_of
from jdbpy.record import Record

PACKAGE = Path(jdbpy.__file__).parent

GROUND = ("errors", "escape", "files", "garbage", "identifiers", "json_form", "record", "task_groups")
"""Modules below all floors: errors, Record, how text of the target is made safe, how private files are opened."""

MAY_IMPORT = {
    "errors": set[str](),
    "escape": set[str](),
    "files": set[str](),
    "garbage": set[str](),
    "identifiers": set[str](),
    "json_form": {"record"},
    "record": {"json_form"},  # to_dict
    "task_groups": {"errors"},
    "jfr": {"errors", "jfr"},
    "drawing": {"escape", "drawing"},
    "profiles": {"errors", "record", "jfr", "drawing", "profiles"},
    "wire": {*GROUND, "wire"},
    "session": {*GROUND, "jfr", "drawing", "profiles", "wire", "session"},
    "api": {*GROUND, "jfr", "drawing", "profiles", "session", "api"},
    "sync": {*GROUND, "profiles", "session", "api", "sync"},
    "plugins": {*GROUND, "session", "api", "sync", "plugins"},  # run functions of the user with objects of both
    "demo": {*GROUND, "session", "demo"},
    "process": {*GROUND, "process"},
    "dap": {*GROUND, "process", "session", "dap"},
    "mcp": {*GROUND, "drawing", "profiles", "process", "session", "api", "mcp"},
    "serve": {*GROUND, "drawing", "profiles", "process", "session", "api", "cli", "dap", "serve"},
    "cli": {*GROUND, "jfr", "drawing", "profiles", "process", "session", "plugins", "demo", "cli"},
    "jdb": {*GROUND, "process", "session", "jdb"},
}
"""What each part of jdbpy may import of jdbpy."""

DOORS = (
    ("jdbpy/cli/main.py", "jdbpy.jdb.main"),
    ("jdbpy/cli/main.py", "jdbpy.dap.main"),
    ("jdbpy/cli/main.py", "jdbpy.mcp.main"),
    ("jdbpy/cli/main.py", "jdbpy.serve"),
    ("jdbpy/cli/taken.py", "jdbpy.serve.served_here"),
    ("jdbpy/serve/objects.py", "jdbpy.session.events.streams"),  # it is for scripts, as jdbpy.api is
    ("jdbpy/serve/objects.py", "jdbpy.session.model.threads"),
    ("jdbpy/serve/objects.py", "jdbpy.session.model.events"),
    ("jdbpy/serve/objects.py", "jdbpy.session.model.vm"),
    ("jdbpy/serve/observations.py", "jdbpy.session.calls.statistics"),
    ("jdbpy/serve/observations.py", "jdbpy.session.model.calls"),
    ("jdbpy/serve/typed.py", "jdbpy.session.model"),
    ("jdbpy/serve/typed.py", "jdbpy.session.values.export"),
    ("jdbpy/sync/opening.py", "jdbpy.serve.objects"),
    ("jdbpy/cli/commands/serving.py", "jdbpy.serve.protocols"),
    ("jdbpy/cli/commands/serving.py", "jdbpy.serve.served_here"),
    ("jdbpy/mcp/prompt.py", "jdbpy.cli.embedded"),
    ("jdbpy/mcp/words.py", "jdbpy.cli.embedded"),
    ("jdbpy/dap/console.py", "jdbpy.cli.embedded"),
)
"""The entry point of all front ends stands in cli, and opens the others; these run lines of the prompt by one door."""

FLOORS = [
    "concurrency",
    "java",
    "model",
    "local",
    "jvm",
    "extension",
    "events",
    "sources",
    "values",
    "execution",
    "breakpoints",
    "eval",
    "calls",
    "inspect",
    "profile",
    "hotswap",
    "recorded",
    "in_target",
    "testing",
    "class_dump",
    "watchdog",
    "answer_stream",
    "snapshots",
    "without_agent",
    "packets",
    "components",
    "session",
    "clients",
    "connect",
]
"""The packages and single modules of ``session``, from the ground up: each imports only what stands before it."""

API = [
    "lazy",
    "delivery",
    "tables",
    "core",
    "feeds",
    "parts",
    "values",
    "frames",
    "hits",
    "breakpoints",
    "functions",
    "heap",
    "observed",
    "timing",
    "reconnecting",
    "vm",
    "fleet",
    "opening",
    "testing",
]
"""The modules of ``api``, from the ground up."""

API_TYPES = {("parts", "values"), ("frames", "breakpoints"), ("reconnecting", "vm")}
"""Annotations that name what stands above: parts of values are values; threads stop, and stops have threads."""

HEAVY = {
    "construct": "wire",
    "tree_sitter": "session",
    "tree_sitter_java": "session",
    "prompt_toolkit": "cli",
    "rich": "cli",
    "mcp": "mcp",
    "mcp_types": "mcp",
    "h11": "mcp",
}
"""Libraries that are slow to import, and the one part that may use each."""


class Import(Record):
    """One imported module with the names taken from it; ``name`` is "" for ``import module``."""

    file: str
    line: int
    module: str
    name: str


@functools.cache
def all_trees() -> dict[Path, ast.Module]:
    return circles.trees_of_package()


@functools.cache
def imports(part: str) -> tuple[Import, ...]:
    """Every import of a part of jdbpy, also those in functions and under TYPE_CHECKING."""
    return tuple(_imports(part))


def _imports(part: str) -> Iterator[Import]:
    directory = PACKAGE / part
    for file in [PACKAGE / f"{part}.py"] if not directory.is_dir() else sorted(directory.rglob("*.py")):
        for node in statements(tree_of(file)):
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
        and (found.file, found.module) not in DOORS
        and not (part_of(found) == "jdbpy" and part in ("cli", "dap", "demo", "jdb", "mcp", "serve"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", ["cli", "dap", "jdb", "mcp", "serve"])
def test_front_ends_use_public_names_of_the_session_only(part: str) -> None:
    wrong = [
        f"{found.file}:{found.line}: {found.module} {found.name}"
        for found in imports(part)
        if part_of(found) == "session" and found.name not in jdbpy.__all__ and (found.file, found.module) not in DOORS
    ]
    assert not wrong, "\n".join(wrong)


def test_the_floors_of_the_session() -> None:
    """Also imports for type checkers only, and those in functions, point down."""
    wrong = []
    for each in imports("session"):
        if part_of(each) != "session":
            continue
        floor = Path(each.file).parts[2].removesuffix(".py")
        other = [*each.module.split("."), each.name][2]
        assert {floor, other} <= set(FLOORS), f"{each.file}:{each.line}: {floor} or {other} is on no floor"
        if FLOORS.index(floor) < FLOORS.index(other):
            wrong.append(f"{each.file}:{each.line}: {each.module} {each.name}")
    assert not wrong, "\n".join(wrong)


def test_the_parts_of_the_scripting_interface_stand_on_one_core() -> None:
    """Imports point down. What an object needs of the JVM it has of ``core``, and of no private name of another."""
    wrong = []
    for each in imports("api"):
        floor, other = Path(each.file).stem, each.module.removeprefix("jdbpy.api.")
        inside = each.module.startswith("jdbpy.api.") and floor != "__init__"
        if inside and API.index(other) >= API.index(floor) and (floor, other) not in API_TYPES:
            wrong.append(f"{each.file}:{each.line}: {each.module} {each.name}")
    for file in (PACKAGE / "api").glob("*.py"):
        found = re.findall(r"\b(?:vm|core)\._\w+", file.read_text(encoding="utf-8"))
        wrong += [f"{file.name}: {name}" for name in found if file.stem != "vm"]
    assert not wrong, "\n".join(wrong)


def module_of(file: Path) -> str:
    return ".".join(file.with_suffix("").parts)


@pytest.mark.parametrize("part", ["dap", "jdb", "mcp", "process", "session/connect"])
def test_modules_import_each_other_in_no_circle(part: str) -> None:
    """Also imports for type checkers only, and those in functions."""
    own = {module_of(file.relative_to(PACKAGE.parent)) for file in (PACKAGE / part).rglob("*.py")}
    edges = set()
    for each in imports(part):
        found = {each.module, f"{each.module}.{each.name}"} & own
        edges |= {(module_of(Path(each.file)), other) for other in found}
    assert len(edges) > 5 or part == "process"
    assert measure.largest_circle({(one, other) for one, other in edges if one != other}) == set()


def test_the_picture_of_the_floors_is_drawn_from_the_imports() -> None:
    assert floors.PICTURE.read_text(encoding="utf-8") == floors.draw(), "./dev generate floors"


def test_the_map_of_a_package_names_all_of_it() -> None:
    """``wire.messages`` says by what rule its modules are named."""
    for package in (each.parent for each in PACKAGE.rglob("__init__.py")):
        text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
        parts = {each.stem for each in package.glob("*.py")}
        parts |= {each.parent.name for each in package.glob("*/__init__.py")}
        words = set(re.findall(r"\w+", text))
        unnamed = parts - words - {"__init__", "__main__"}
        assert not unnamed or package.name == "messages", f"{package.relative_to(PACKAGE)} does not name {unnamed}"


def test_no_class_name_stands_for_two() -> None:
    assert measure.repeated_names(all_trees()) == []


def test_no_circle_of_imports_goes_over_parts() -> None:
    """All imports count, those in functions too. ``Record`` and its JSON form know each other."""
    found = circles.circles(circles.all_imports(all_trees()))
    assert found
    wide = [circle for circle in found if len({module.split(".")[1] for module in circle}) > 1]
    assert wide == [("jdbpy.json_form", "jdbpy.record")]


def test_no_test_imports_another() -> None:
    """What several tests need stands in ``tests/fakes``, ``tests/harness``, or a module without tests beside them."""
    tests = PACKAGE.parent / "tests"
    files = {file: file.read_text(encoding="utf-8") for file in tests.rglob("*.py")}
    assert files
    found = re.compile(
        r"^ *(?:from tests[\w.]*\.test_\w+ import|from tests[\w.]* import test_(?!jvms)|import tests\S*\.test_)", re.M
    )
    wrong = [str(file.relative_to(tests)) for file, text in files.items() if found.search(text)]
    assert not wrong, wrong


def test_what_hangs_on_is_an_extension() -> None:
    """Few attributes wait for a function that somebody assigns: see ``session/extension.py``."""
    found = measure.callback_attributes(all_trees())
    assert len(found) <= 15, "\n".join(found)


def test_every_floor_is_there() -> None:
    there = {path.name.removesuffix(".py") for path in (PACKAGE / "session").iterdir() if path.name[0] != "_"}
    assert there == set(FLOORS)


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
    assert not loaded_by("import jdbpy; jdbpy.attach_session, jdbpy.Session, jdbpy.LaunchCommand") & set(HEAVY)


def test_help_loads_not_even_trio() -> None:
    code = (
        "import contextlib\nwith contextlib.suppress(SystemExit):\n    import jdbpy.cli.main as m; m.main(['--help'])"
    )
    assert not loaded_by(code) & {"trio", *HEAVY}


def test_an_adapter_for_editors_loads_nothing_heavy() -> None:
    code = "import jdbpy.dap.server"
    assert not loaded_by(code) & set(HEAVY)


def test_the_command_line_for_agents_loads_no_sdk() -> None:
    code = "from jdbpy.mcp.tools import load; import jdbpy.mcp.main; load()"
    assert not loaded_by(code) & set(HEAVY)


def test_task_groups_are_opened_in_one_way() -> None:
    """An error comes out of each as itself: a lost connection as one, whatever runs beside it."""
    found = [str(each) for each in PACKAGE.rglob("*.py") if "trio.open_nursery(" in each.read_text()]
    assert found == [str(PACKAGE / "task_groups.py")]
