"""The mentions of an expression: paths of names, calls, types. For the prefetch of what compiling it will ask for.

Pure, and only as good as a guess has to be: it knows no scopes and no types. ``compile.prefetch`` makes use of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from jdbpy.record import Record
from jdbpy.session.eval.syntax import tree
from jdbpy.session.java.types import PRIMITIVES, Primitive

THIS = "this"
"""The root of a path that begins at ``this``."""


class Path(Record):
    """``root.step.step[2]``: steps are names and constant indices.

    ``typed`` says that the type of its value matters to what stands around it, ``inspected`` that the class of the
    object does. ``first`` paths are surely read, and before anything is run. ``result`` is the one that is shown.
    """

    root: str
    steps: tuple[str | int, ...] = ()
    typed: bool = False
    inspected: bool = False
    first: bool = False
    result: bool = False


class MentionedCall(Record):
    """A call by its name ("<init>" for ``new``). An argument is kept if it is a literal or a simple name.

    ``typed`` says that the type of its result matters; ``result`` that this is what the text gives.
    """

    name: str
    args: tuple[Primitive | str | None, ...]
    typed: bool
    qualified: bool = True
    result: bool = False


class Mentions:
    """Collects what statements mention."""

    def __init__(self, statements: Sequence[tree.Statement]) -> None:
        self.paths: list[Path] = []
        self.calls: list[MentionedCall] = []
        self.types: dict[str, None] = {}
        self.fields: set[str] = set()
        """Names of fields of something that is no path, whose type matters."""
        self.texts = False
        """True if a value may have to be made a text."""
        self.strings = False
        """True if there are string literals."""
        self.assigns = False
        """True if a variable is assigned."""
        self._first = True
        for statement in statements:
            self._visit(statement, typed=False)
        last = statements[-1] if statements else None
        if isinstance(last, tree.ExpressionStatement):
            if _path(last.expression) is not None:
                self.paths[-1] = self.paths[-1].replace(result=True)
            elif isinstance(last.expression, tree.Call):
                self.calls[-1] = self.calls[-1].replace(result=True)

    def _visit(self, node: object, *, typed: bool = True, inspected: bool = False) -> None:
        match node:
            case tree.Name() | tree.This() | tree.Select() | tree.Index():
                self._value(node, typed, inspected)
            case tree.Call():
                self._call(node, typed)
            case tree.New():
                self._new(node, typed)
            case tree.Binary(op=op):
                self._visit(node.left, inspected=op == "+")
                self.texts |= op == "+"
                with self._perhaps(op in ("&&", "||")):
                    self._visit(node.right, inspected=op == "+")
            case tree.Conditional():
                self._visit(node.condition)
                with self._perhaps():
                    self._visit(node.then)
                    self._visit(node.otherwise)
            case tree.Assign() | tree.Update():
                self.assigns = True
                self._target(node.target if isinstance(node, tree.Assign) else node.operand)
                if isinstance(node, tree.Assign):
                    self._visit(node.value)
                self._first = False
            case tree.Cast() | tree.InstanceOf():
                self._visit(node.operand, inspected=True)
                for each in node.types if isinstance(node, tree.Cast) else (node.type,):
                    self._visit(each)
            case tree.TypeName(name=name):
                if name not in PRIMITIVES and name not in ("?", "var"):
                    self.types[name] = None
                for arg in node.args or ():
                    self._visit(arg)
            case tree.Filter() | tree.Lambda() | tree.Switch() | tree.If():
                with self._perhaps():
                    self._inner(node)
            case tree.Literal():
                self.strings |= isinstance(node.value, str)
            case tree.ExpressionStatement():
                self._visit(node.expression, typed=typed)
            case tree.Node() if not isinstance(node, tree.MethodRef):
                self._inner(node)

    def _inner(self, node: tree.Node) -> None:
        for field in node.__fields__:
            each = getattr(node, field)
            for child in each if isinstance(each, tuple) else (each,):
                self._visit(child)

    @contextmanager
    def _perhaps(self, perhaps: bool = True) -> Iterator[None]:
        """Yield what is not evaluated in any case."""
        first, self._first = self._first, self._first and not perhaps
        yield
        self._first = first and (perhaps or self._first)

    def _value(self, node: tree.Expression, typed: bool, inspected: bool) -> None:
        """A variable, or a member or element of something."""
        path = _path(node)
        if path is not None:
            self.paths.append(Path(*path, typed, inspected, self._first))
        elif isinstance(node, tree.Select):
            if typed:
                self.fields.add(node.name)
            self._visit(node.object)
        elif isinstance(node, tree.Index):
            self._visit(node.array)
            self._visit(node.index)

    def _target(self, node: tree.Expression) -> None:
        """Visit the target of an assignment: its object is read, and its type matters."""
        path = _path(node)
        if path is None:
            self._visit(node)
        else:
            root, steps = path
            self.paths.append(Path(root, steps, typed=True))
            if steps:
                self.paths.append(Path(root, steps[:-1], typed=True, first=self._first))

    def _call(self, node: tree.Call, typed: bool) -> None:
        if isinstance(node.object, tree.Expression) and not isinstance(node.object, tree.Super):
            self._visit(node.object, inspected=True)
        for arg in node.args:
            self._visit(arg, inspected=True)
        self.calls.append(MentionedCall(node.name, tuple(map(_shape, node.args)), typed, node.object is not None))
        self._first = False

    def _new(self, node: tree.New, typed: bool) -> None:
        self._visit(node.type)
        for arg in node.args:
            self._visit(arg, inspected=True)
        if node.outer is not None:
            self._visit(node.outer, inspected=True)
        self.calls.append(MentionedCall("<init>", tuple(map(_shape, node.args)), typed))
        self._first = False


def _path(node: tree.Expression) -> tuple[str, tuple[str | int, ...]] | None:
    """Return the root and steps of a path; None for anything else."""
    steps: list[str | int] = []
    while True:
        match node:
            case tree.Select():
                steps.append(node.name)
                node = node.object
            case tree.Index(index=tree.Literal(value=int() as at)):
                steps.append(at)
                node = node.array
            case tree.Name():
                return node.name, tuple(reversed(steps))
            case tree.This(qualifier=None):
                return THIS, tuple(reversed(steps))
            case _:
                return None


def _shape(arg: tree.Expression) -> Primitive | str | None:
    """Return what an argument is, at a fast condition."""
    if isinstance(arg, tree.Literal):
        return arg.type if isinstance(arg.type, Primitive) else None
    return arg.name if isinstance(arg, tree.Name) else None
