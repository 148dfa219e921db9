"""Figures about the tree itself: ``python -m docs.tools.measure``, which ``./dev measure`` runs.

How many files and classes there are, how large they are, which modules and how many packages of ``session`` import each
other in a circle, how many imports stand in functions, how many attributes wait for a function to be called back, and
how many calls and files one breakpoint hit and one ``print`` go through. Compare them before and after a change of the
structure; tests look at the names and the callbacks only.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import trio

import jdbpy
from docs.tools import circles
from docs.tools.trees import statements
from tests.harness import inline, start_target, test_jvms

PACKAGE = Path(jdbpy.__file__).parent

SMALL, LARGE = 80, 500
"""Lines under which a file is small, and over which it is large."""

GENERATED = {"messages", "sync"}
"""Folders whose names of classes are given: by the specification of JDWP, by ``jdbpy/api``."""

ORDERS = inline("""
class Orders {
    public static void main(String[] args) {
        Order order = new Order();
        for (int i = 0; i < 3; i++) {
            order.count(i); // @hit
        }
    }
    static class Order {
        Item[] items = {new Item("a"), new Item("b"), new Item("c")};
        void count(int i) { }
    }
    static class Item {
        final String name;
        Item(String name) { this.name = name; }
    }
}
""")


def main() -> None:
    """Print all figures."""
    files = {file: file.read_text(encoding="utf-8") for file in sorted(PACKAGE.rglob("*.py"))}
    trees = {file: ast.parse(text) for file, text in files.items()}
    lines = [text.count("\n") for text in files.values()]
    show("files", len(files))
    show("lines", sum(lines))
    show("lines of a file, median", int(statistics.median(lines)))
    small = [file for file, count in zip(files, lines, strict=True) if count < SMALL]
    show(f"files under {SMALL} lines", len(small))
    show("of them no map of a package, and not generated", len([file for file in small if not is_given(file)]))
    show(f"files over {LARGE} lines", sum(1 for each in lines if each > LARGE))
    show("classes", sum(len(list(classes(tree))) for tree in trees.values()))
    show("class names that stand for several", len(repeated_names(trees)))
    edges = {(part(file), other) for file, tree in trees.items() for other in imported(tree) if part(file)}
    show("packages of session in one circle of imports", len(largest_circle({e for e in edges if e[0] != e[1]})))
    show("callback attributes of session", len(callback_attributes(trees)))
    found = circles.circles(circles.all_imports(trees))
    show("circles of imports between modules, all counted", len(found))
    for circle in found:
        show(f"  {', '.join(sorted({of_package(module) for module in circle}))}", len(circle))
    show("imports in functions", sum(len(circles.inside_functions(tree)) for tree in trees.values()))
    for what, walk in trio.run(walks).items():
        show(f"{what}: calls", walk.calls)
        show(f"{what}: files", len(walk.files))
        show(f"{what}: moves between packages", walk.moves)


def callback_attributes(trees: Mapping[Path, ast.Module]) -> list[str]:
    """Return the public attributes of objects in ``session`` that others are to assign a function to, or add one to.

    Those are the ones that a constructor declares as ``Callable`` without taking them as a parameter.
    """
    return sorted(
        f"{file.relative_to(PACKAGE)}: {owner.name}.{node.target.attr}"
        for file, tree in trees.items()
        if part(file)
        for owner in classes(tree)
        for method in owner.body
        if isinstance(method, ast.FunctionDef) and method.name == "__init__"
        for node in statements(method)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute)
        if not node.target.attr.startswith("_") and "Callable[" in ast.unparse(node.annotation)
        if not (isinstance(node.value, ast.Name) and node.value.id in parameters(method))
    )


def parameters(function: ast.FunctionDef) -> set[str]:
    return {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}


def show(what: str, figure: int) -> None:
    sys.stdout.write(f"{what:<52}{figure:>8,}\n")


def of_package(module: str) -> str:
    """Return the package that a module is in, without ``jdbpy`` and of its folders at most two."""
    return ".".join(module.split(".")[1:-1][:2]) or module


def is_given(file: Path) -> bool:
    """True for a file that there must be: the map or the door of a package, or one in a folder of ``GENERATED``."""
    return file.name.startswith("__") or bool(GENERATED & {*file.relative_to(PACKAGE).parts})


def repeated_names(trees: Mapping[Path, ast.Module]) -> list[str]:
    """Return the names that several classes have, those of ``GENERATED`` left out."""
    given = [tree for file, tree in trees.items() if not GENERATED & {*file.relative_to(PACKAGE).parts}]
    names = Counter(node.name for tree in given for node in classes(tree))
    return sorted(name for name, count in names.items() if count > 1)


def classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in statements(tree) if isinstance(node, ast.ClassDef))


def part(file: Path) -> str:
    """Return the package of ``session`` that a file is in, or the module for those of the root; "" for others."""
    inner = file.relative_to(PACKAGE).parts
    return inner[1].removesuffix(".py") if inner[0] == "session" else ""


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the packages of ``session`` that a module imports anywhere."""
    for node in statements(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jdbpy.session."):
            yield str(node.module).split(".")[2]


def largest_circle(edges: set[tuple[str, str]]) -> set[str]:
    """Return the largest set of nodes that can all be reached from one another."""
    nodes = {node for edge in edges for node in edge}
    reach = {node: reached(node, edges) for node in nodes}
    circles = [{other for other in reach[node] if node in reach[other]} for node in nodes]
    return max(circles, key=len, default=set())


def reached(start: str, edges: set[tuple[str, str]]) -> set[str]:
    found, pending = set[str](), [start]
    while pending:
        node = pending.pop()
        following = {to for from_, to in edges if from_ == node} - found
        found |= following
        pending += following
    return found


@dataclass
class Walk:
    """The calls of functions of jdbpy, the files they are in, and how often one package calls another."""

    calls: int = 0
    moves: int = 0
    files: set[str] = field(default_factory=set)
    last: str = ""

    def take(self, frame: FrameType, event: str, _: Any) -> None:
        """Count one event of ``sys.setprofile``."""
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(str(PACKAGE)):
            return
        package = str(Path(file).parent)
        self.calls += 1
        self.moves += package != self.last
        self.last = package
        self.files.add(file)


@contextmanager
def walked(walk: Walk) -> Iterator[None]:
    sys.setprofile(walk.take)
    try:
        yield
    finally:
        sys.setprofile(None)


async def walks() -> dict[str, Walk]:
    """What a second hit of a breakpoint and an expression go through, on the first JVM that is found.

    The first evaluation imports the evaluator and makes the codecs of the messages it sends, which count as calls too.
    """
    hit, expression, again = Walk(), Walk(), Walk()
    async with start_target(test_jvms()[0], ORDERS) as target, jdbpy.attach_session(target.address) as session:
        session._target.latency.round_trip = 0.0  # a busy machine's handshake must not have stops prefetched
        await session.next_stop()
        await session.breakpoints.add(ORDERS.at("hit"))
        for _ in range(2):
            await session.execution.cont()
        with walked(hit):
            await session.execution.cont()
        for walk in (expression, again):
            with walked(walk):
                await session.values.evaluate("order.items[2].name")
    return {"a breakpoint hit": hit, "print order.items[2].name": expression, "the same again": again}


if __name__ == "__main__":
    main()
