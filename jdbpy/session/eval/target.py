"""The small protocol through which the evaluator sees a stopped program, and the plain facts that pass through it.

An ``EvalTarget`` is one frame of one stopped thread. ``jvm.frame_target`` implements it over a session; a fake in the
tests does without any JVM. Everything the evaluator asks or changes goes through here. Names are binary names in source
spelling (``java.util.Map$Entry``, ``int[]``); ids are JDWP's; a value is raw: bool, int (a char is its code unit),
float (float32 already rounded), a ``Ref``, or None for null and void.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from jdbpy.errors import EvalError, JdbpyError, Thrown
from jdbpy.record import Record
from jdbpy.session.eval.javac import ClassFiles, JavaSource
from jdbpy.session.eval.syntax.lexer import Imports
from jdbpy.session.jvm.reading import Reading
from jdbpy.session.jvm.refs import MASKED, Field, Method
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS


class Ref(Record):
    """An object in the target; ``tag`` is the JDWP tag that it came with."""

    id: int
    tag: int = Tag.OBJECT


Raw = bool | int | float | Ref | None


class Invocation(Record):
    """A method to be run: ``obj`` None for a static one; ``sure``: the object is known to be one of its class."""

    obj: Ref | None
    owner_id: int
    method: Method
    args: tuple[Raw, ...]
    exact: bool = False
    sure: bool = False


class ClassFacts(Record):
    """The facts of a loaded class. ``superclass`` is 0 for Object and interfaces."""

    id: int
    name: str
    modifiers: int
    generic: str
    superclass: int
    interfaces: tuple[int, ...]
    fields: tuple[Field, ...]
    methods: tuple[Method, ...]
    own: bool = True
    """True if this is surely what the frame's class means by the name: their loaders are the same, or it is one of the
    JDK."""

    def method(self, name: str, signature: str) -> Method:
        """Return a method that the class must have. Raises EvalError when, by what the target says, it has not."""
        for each in self.methods:
            if each.name == name and each.signature == signature:
                return each
        raise EvalError(f"the target says that {self.name} has no method {name}{signature}")

    def field(self, name: str) -> Field:
        """Return a field that the class must have. Raises EvalError when, by what the target says, it has not."""
        for each in self.fields:
            if each.name == name:
                return each
        raise EvalError(f"the target says that {self.name} has no field {name}")


class Local(Record):
    """A variable in scope at the frame's place."""

    name: str
    signature: str
    generic: str
    slot: int


def _never(name: str) -> str:
    return ""


class FrameFacts(Record):
    """The place where an expression is evaluated: what its names mean. ``class_id`` is 0 without a frame (static names
    only).
    """

    class_id: int
    class_name: str
    is_static: bool
    locals: tuple[Local, ...] = ()
    place: str = ""  # "Order.total", for messages
    out_of_scope: Callable[[str], str] = _never
    """Return where a local variable of that name is in scope in the method, in words; "" if it has none."""


class FrameValues(Record):
    """``this`` (None in static code) and the values of the slots that were asked for."""

    this: Ref | None
    slots: dict[int, Raw]


class EvalTarget(Protocol):
    """One frame of a stopped thread, as the evaluator needs it. Methods that take many things cost one trip for all."""

    @property
    def release(self) -> int:
        """Return the Java release of the target, 17 or 25."""

    @property
    def high_latency(self) -> bool:
        """True if a trip takes so long that it is worth asking for what is not sure to be needed."""

    async def frame(self) -> FrameFacts:
        """Return the facts of the frame. wire: 0 trips when its method is known."""

    async def imports(self) -> Imports:
        """Return the imports of the frame's source file, none when it cannot be read or is not at hand.

        Over a slow link it is not looked for where that costs trips.
        """

    async def search_imports(self) -> bool:
        """Look for the frame's source file everywhere; True if ``imports`` are others only now.

        wire: over a slow link some 15 trips, once for a package.
        """

    # Classes

    async def find_classes(self, names: Sequence[str]) -> list[int]:
        """Return the loaded classes of these names as the frame's loader sees them; 0 where none is. wire: 1 trip."""

    def knows_classes(self, names: Sequence[str]) -> bool:
        """True if all of them have been found before, and so are there. No trip."""

    def is_undecided(self, name: str) -> bool:
        """True if classes of several loaders had the name when it was looked for, and the frame's loader has been asked
        for none of them. No trip."""

    async def holders(self, name: str) -> list[str]:
        """Return the loaders of the classes of a name, in words. wire: 3 trips."""

    async def others(self, class_id: int, names: Sequence[str]) -> dict[str, int]:
        """Return which of the names mean another class for the loader of a class than for the frame's loader, with that
        class. wire: 1 trip, 0 when known; 2 more where several classes have a name."""

    def likely_class(self, name: str) -> int:
        """Return a class of that name that was heard of, 0 for none: most likely what ``find_classes`` will tell. No
        trip."""

    async def class_facts(self, ids: Sequence[int]) -> list[ClassFacts]:
        """Facts of loaded classes. wire: 1 trip, 0 when known."""

    async def load_class(self, name: str, *, seen_from: int = 0) -> int:
        """Load a class through the frame's loader, or through that of a class; 0 when there is none. Runs code in the
        target."""

    async def simple_names(self, name: str) -> list[str]:
        """Binary names of loaded classes whose simple name is ``name``. wire: 1 trip."""

    async def has_package(self, name: str) -> bool:
        """True if any loaded class is in the package. wire: 1 trip."""

    async def referenced_classes(self) -> list[str]:
        """Return names of the classes that the frame's class refers to (its constant pool); [] when that is not
        known."""

    async def classes_in_method(self) -> list[str]:
        """Return names of the classes that the code and the variables of the frame's method refer to; [] when that is
        not known. wire: 1 trip, 0 when known."""

    async def initialized(self, class_id: int) -> bool:
        """True if the static fields of a class have got their values. wire: 1 trip, 0 when known."""

    async def initialize(self, class_id: int, name: str) -> None:
        """Run the static initializer of a class, unless code cannot be run now."""

    # Reading

    async def prefetch(self, walk: Callable[[EvalTarget], Reading[None]]) -> None:
        """Run a walk to what is likely to be needed next: what it reads is not asked for again until something is run
        or written.

        The walk is given this target with coroutines that are readings (``session.target.reading``): what its branches
        ask for at one moment leaves in one wave. An error of the target ends it, and is not raised. wire: as many trips
        as the walk's longest chain of questions.
        """

    async def read_frame(self, locals_: Sequence[Local], *, this: bool) -> FrameValues:
        """Locals, and ``this`` if asked for. wire: 1 trip."""

    def knows_object_in(self, local: Local) -> bool:
        """True if the variable has been read, and the class of what it holds is known. No trip."""

    async def classes_of(self, objects: Sequence[Ref]) -> list[int]:
        """Return the run-time classes of objects. wire: 1 trip, 0 when known."""

    async def read_fields(self, obj: Ref, fields: Sequence[Field]) -> list[Raw]:
        """Instance fields; each must be declared by the object's class or a superclass. wire: 1 trip."""

    async def read_statics(self, class_id: int, fields: Sequence[Field]) -> list[Raw]:
        """Static fields that the class declares. wire: 1 trip."""

    async def array_length(self, array: Ref) -> int:
        """wire: 1 trip."""

    async def read_array(self, array: Ref, start: int, count: int) -> list[Raw]:
        """Elements of an array; [] when the range does not lie inside it. wire: 1 trip."""

    async def read_strings(self, strings: Sequence[Ref]) -> list[str]:
        """Return the texts of strings. Raises EvalError for one of more than a million characters. wire: 3 trips."""

    async def string_length(self, string: Ref) -> int | None:
        """Return the length of a string, without its text; None when it cannot be known so. wire: 2 trips, 0 when
        known."""

    async def string_part(self, string: Ref, start: int, count: int) -> str:
        """Return a piece of a string, in UTF-16 units; it must lie inside. wire: 3 trips."""

    async def class_object(self, class_id: int) -> Ref:
        """Return the ``java.lang.Class`` of a loaded class. wire: 1 trip."""

    async def elements(self, collection: Ref, most: int) -> list[Raw] | list[tuple[Raw, Raw]] | None:
        """Return the first elements of a collection whose layout is known, or entries of a map; None for anything else.

        Read from fields: nothing is run. wire: a few trips.
        """

    async def object_text(self, obj: Ref) -> str | None:
        """Return the text of an object where no method may be run for it; None where ``toString()`` is to be run."""

    # Writing

    async def write_local(self, local: Local, value: Raw) -> None:
        """Set a local variable. wire: 1 trip."""

    async def write_field(self, obj: Ref, field: Field, value: Raw) -> None:
        """Set an instance field. wire: 1 trip."""

    async def write_static(self, class_id: int, field: Field, value: Raw) -> None:
        """Set a static field. wire: 1 trip."""

    async def write_array(self, array: Ref, element: str, start: int, values: Sequence[Raw]) -> None:
        """Set elements; ``element`` is the descriptor of their type. wire: 1 trip."""

    # Making and running

    async def new_string(self, text: str) -> Ref:
        """Make a string. wire: 1 trip."""

    async def new_array(self, class_id: int, length: int) -> Ref:
        """Make an array of a loaded array class. wire: 1 trip."""

    def require_invocation(self) -> None:
        """Raises StateError when methods cannot be run now: read-only, or a thread that no event has stopped."""

    @property
    def may_define_classes(self) -> bool:
        """True if the user lets the debugger compile classes and define them in the target."""

    async def compile_java(self, source: JavaSource) -> ClassFiles:
        """Compile a class against the target's class path. Raises StateError, EvalError. wire: 1 trip."""

    async def define_classes(self, compiled: ClassFiles) -> int:
        """Define classes in the loader of the frame's class; the id of the last. Raises Thrown. Runs code."""

    async def thrown(self, exception: Ref) -> Thrown:
        """Return the record of a throwable of the target: its type, message and stack. wire: a few trips."""

    async def invoke(self, obj: Ref | None, class_id: int, method: Method, args: Sequence[Raw], *, exact: bool) -> Raw:
        """Run a method declared by ``class_id``: on ``obj``, or statically. ``exact`` is ``super.m()``: no overriding.

        Raises Thrown when the method throws. wire: 1 trip and what it takes to check the arguments.
        """

    async def invoke_all(self, wanted: Sequence[Invocation]) -> list[Raw | JdbpyError]:
        """Run methods of the JDK that do not depend on each other; one outcome for each, the result or the error.

        wire: 1 trip over a link, 1 more for those that came too soon.
        """

    async def instantiate(self, class_id: int, constructor: Method, args: Sequence[Raw]) -> Ref:
        """Make an object with a constructor that the class declares. Raises Thrown. wire: as ``invoke``."""


def from_wire(value: TaggedValue) -> Raw:
    """Return the raw value: a Ref for an object, None for null and void."""
    if value.tag in OBJECT_TAGS:
        return Ref(int(value.value), value.tag) if value.value else None
    return value.value


def fields_from_wire(fields: Sequence[Field], values: Iterable[TaggedValue]) -> list[Raw]:
    """Return the raw values of fields. Raises EvalError for a number that is masked in a snapshot."""
    found = []
    for field, value in zip(fields, values, strict=True):
        if is_masked(field.signature, value):
            raise EvalError(f"the value of '{field.name}' is masked in this snapshot", code="MASKED")
        found.append(from_wire(value))
    return found


def is_masked(signature: str, value: TaggedValue) -> bool:
    """True if a value cannot be what a variable of a primitive type holds: a snapshot has it masked."""
    return value == MASKED and signature[0] not in "L["


def to_wire(signature: str, raw: Raw) -> TaggedValue:
    """Return the value as a variable of the type takes it; ``signature`` is the JNI type."""
    if signature[0] in "L[":
        return TaggedValue(raw.tag, raw.id) if isinstance(raw, Ref) else TaggedValue(Tag.OBJECT, 0)
    assert not isinstance(raw, Ref)
    return TaggedValue(ord(signature[0]), raw)
