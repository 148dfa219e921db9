"""A target for the evaluator without any JVM: a frame in a ``FakeWorld``.

    fake = FakeTarget()
    fake.local("order", "LOrder;", fake.new("Order", total=7))
    operand = await fake.evaluate("order.total + 1")

``trips`` names what was asked, one entry a request, so that tests can say what an expression costs. Nothing a real
target would refuse is let pass: a field of another class, an index outside, a wrong number of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from jdbpy.errors import JdbpyError, StateError, Thrown
from jdbpy.session.eval.javac import ClassFiles, JavaSource
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.intrinsics import units
from jdbpy.session.eval.program import Program
from jdbpy.session.eval.syntax.lexer import NO_IMPORTS, Imports
from jdbpy.session.eval.target import ClassFacts, EvalTarget, FrameFacts, FrameValues, Invocation, Local, Raw, Ref
from jdbpy.session.eval.typing.class_graph import ClassGraph
from jdbpy.session.eval.variables import DebuggerVariables
from jdbpy.session.java.literals import pair_surrogates
from jdbpy.session.java.signatures import split_method
from jdbpy.session.java.texts import utf16_length
from jdbpy.session.jvm.reading import Reading
from jdbpy.session.jvm.refs import Field, Method
from tests.eval.fake_jdk import SIGNATURES
from tests.eval.fake_world import FakeWorld, default_of


class FakeTarget(FakeWorld):
    """An ``EvalTarget`` of plain Python."""

    release = 25
    high_latency = False

    def __init__(self, *, can_invoke: bool = True) -> None:
        super().__init__()
        self.trips: list[str] = []
        self.can_invoke = can_invoke
        self.unloaded: set[str] = set()  # classes that load_class finds and find_classes does not
        self.variables = DebuggerVariables()
        self.home = "Main"
        self.is_static = False
        self.this: Ref | None = None
        self.source_imports: Imports = NO_IMPORTS
        self._locals: dict[str, tuple[Local, Raw]] = {}

    def local(self, name: str, signature: str, value: Raw, generic: str = "") -> None:
        """A local variable of the frame."""
        self._locals[name] = Local(name, signature, generic, len(self._locals)), value

    def value_of(self, name: str) -> Raw:
        """What a local variable holds now."""
        return self._locals[name][1]

    async def evaluate(self, text: str) -> Operand:
        """Compiles and runs a text in the frame."""
        compiled = await Program(text).compile(self, ClassGraph(self), self.variables)
        return await compiled.run(self, self.variables)

    # -- EvalTarget ------------------------------------------------------------------------------------------------

    async def frame(self) -> FrameFacts:
        home = self._classes.get(self.home)
        locals_ = tuple(local for local, _ in self._locals.values())
        return FrameFacts(home.id if home else 0, self.home, self.is_static, locals_)

    async def imports(self) -> Imports:
        return self.source_imports

    async def search_imports(self) -> bool:
        return False

    async def find_classes(self, names: Sequence[str]) -> list[int]:
        await self._trip("find_classes")
        return [self._classes[n].id if n in self._classes and n not in self.unloaded else 0 for n in names]

    async def class_facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        await self._trip("class_facts")
        return [self._by_id[class_id] for class_id in ids]

    async def load_class(self, name: str, *, seen_from: int = 0) -> int:
        if not self.can_invoke:
            return 0
        await self._trip(f"load {name}")
        self.unloaded.discard(name)
        if name.endswith("[]"):
            self._array_class(name)
        return self._classes[name].id if name in self._classes else 0

    async def simple_names(self, name: str) -> list[str]:
        await self._trip("simple_names")
        return [each for each in self._classes if each.rpartition(".")[2].rpartition("$")[2] == name]

    async def has_package(self, name: str) -> bool:
        await self._trip("has_package")
        return any(each.startswith(name + ".") for each in self._classes)

    async def referenced_classes(self) -> list[str]:
        return []

    async def classes_in_method(self) -> list[str]:
        return []

    async def initialized(self, class_id: int) -> bool:
        return True

    async def initialize(self, class_id: int, name: str) -> None:
        raise AssertionError("every class of the fake is initialized")

    def knows_classes(self, names: Sequence[str]) -> bool:
        return False

    def is_undecided(self, name: str) -> bool:
        return False

    async def holders(self, name: str) -> list[str]:
        raise AssertionError("the fake has one loader")

    async def others(self, class_id: int, names: Sequence[str]) -> dict[str, int]:
        raise AssertionError("the fake has one loader")

    def likely_class(self, name: str) -> int:
        return 0

    def knows_object_in(self, local: Local) -> bool:
        raise AssertionError("nothing is far away")

    async def prefetch(self, walk: Callable[[EvalTarget], Reading[None]]) -> None:
        raise AssertionError("nothing is far away")

    async def read_frame(self, locals_: Sequence[Local], *, this: bool) -> FrameValues:
        await self._trip("read_frame")
        values = {local.slot: self._locals[local.name][1] for local in locals_}
        return FrameValues(self.this if this else None, values)

    async def classes_of(self, objects: Sequence[Ref]) -> list[int]:
        await self._trip("classes_of")
        return [self._classes[self._objects[ref.id].class_name].id for ref in objects]

    async def read_fields(self, obj: Ref, fields: Sequence[Field]) -> list[Raw]:
        await self._trip("read_fields")
        found = self._objects[obj.id]
        declared = [field for cls in self._lineage(found.class_name) for field in cls.fields]
        assert all(field in declared and not field.is_static for field in fields), "a field of another class"
        return [found.fields[field.name] for field in fields]

    async def read_statics(self, class_id: int, fields: Sequence[Field]) -> list[Raw]:
        await self._trip("read_statics")
        owner = self._by_id[class_id]
        assert all(field in owner.fields and field.is_static for field in fields), "a field of another class"
        return [self.statics.get((owner.name, field.name), default_of(field.signature)) for field in fields]

    async def array_length(self, array: Ref) -> int:
        await self._trip("array_length")
        return len(self._objects[array.id].elements)

    async def read_array(self, array: Ref, start: int, count: int) -> list[Raw]:
        await self._trip("read_array")
        elements = self._objects[array.id].elements
        return elements[start : start + count] if start >= 0 and start + count <= len(elements) else []

    async def read_strings(self, strings: Sequence[Ref]) -> list[str]:
        await self._trip("read_strings")
        return [self._objects[ref.id].text for ref in strings]

    async def string_length(self, string: Ref) -> int | None:
        await self._trip("string_length")
        return utf16_length(self._objects[string.id].text)

    async def string_part(self, string: Ref, start: int, count: int) -> str:
        await self._trip("string_part")
        return pair_surrogates("".join(map(chr, units(self._objects[string.id].text)[start : start + count])))

    async def class_object(self, class_id: int) -> Ref:
        await self._trip("class_object")
        return self.new("java.lang.Class", name=self.string(self._by_id[class_id].name))

    async def object_text(self, obj: Ref) -> str | None:
        return None

    async def elements(self, collection: Ref, most: int) -> list[Raw] | list[tuple[Raw, Raw]] | None:
        await self._trip("elements")
        found = self._objects[collection.id]
        return found.elements[:most] if found.class_name == "java.util.ArrayList" else None

    async def write_local(self, local: Local, value: Raw) -> None:
        await self._trip("write_local")
        self._locals[local.name] = local, value

    async def write_field(self, obj: Ref, field: Field, value: Raw) -> None:
        await self._trip("write_field")
        self._objects[obj.id].fields[field.name] = value

    async def write_static(self, class_id: int, field: Field, value: Raw) -> None:
        await self._trip("write_static")
        self.statics[self._by_id[class_id].name, field.name] = value

    async def write_array(self, array: Ref, element: str, start: int, values: Sequence[Raw]) -> None:
        await self._trip("write_array")
        elements = self._objects[array.id].elements
        assert start + len(values) <= len(elements), "an index outside"
        elements[start : start + len(values)] = values

    async def new_string(self, text: str) -> Ref:
        await self._trip("new_string")
        return self.string(text)

    async def new_array(self, class_id: int, length: int) -> Ref:
        await self._trip("new_array")
        name = self._by_id[class_id].name
        return self.array(name, *[default_of(SIGNATURES.get(name[:-2], "L"))] * length)

    def require_invocation(self) -> None:
        if not self.can_invoke:
            raise StateError("methods cannot be run now")

    async def invoke(self, obj: Ref | None, class_id: int, method: Method, args: Sequence[Raw], *, exact: bool) -> Raw:
        self.require_invocation()
        await self._trip(f"invoke {method.name}")
        return self._invoke(obj, method, args, exact=exact)

    async def invoke_all(self, wanted: Sequence[Invocation]) -> list[Raw | JdbpyError]:
        self.require_invocation()
        await self._trip(" and ".join(f"invoke {each.method.name}" for each in wanted))
        return [self._invoke(each.obj, each.method, each.args, exact=each.exact) for each in wanted]

    def _invoke(self, obj: Ref | None, method: Method, args: Sequence[Raw], *, exact: bool) -> Raw:
        assert len(args) == len(split_method(method.signature)[0]), "a wrong number of arguments"
        assert (obj is None) == method.is_static
        chosen = method
        if obj is not None and not exact:
            overriding = [
                each
                for cls in self._lineage(self._objects[obj.id].class_name)
                for each in cls.methods
                if (each.name, each.signature) == (method.name, method.signature) and not each.is_abstract
            ]
            chosen = overriding[0] if overriding else method
        return self._code[chosen.id](*([obj] if obj is not None else []), *args)

    async def instantiate(self, class_id: int, constructor: Method, args: Sequence[Raw]) -> Ref:
        self.require_invocation()
        await self._trip("instantiate")
        made = self.new(self._by_id[class_id].name)
        self._code[constructor.id](self._objects[made.id], *args)
        return made

    may_define_classes = False

    async def compile_java(self, source: JavaSource) -> ClassFiles:
        raise AssertionError("the fake has no javac")

    async def define_classes(self, compiled: ClassFiles) -> int:
        raise AssertionError("the fake has no javac")

    async def thrown(self, exception: Ref) -> Thrown:
        return Thrown(self._objects[exception.id].class_name, None, id=exception.id)

    async def _trip(self, what: str) -> None:
        self.trips.append(what)
        await trio.lowlevel.checkpoint()
