"""The classes of a snapshot: layouts of objects, variables of methods, and the facts that commands ask for.

Owns what is learned of classes while a snapshot is taken. Fields and superclasses of all classes are asked before the
target is suspended, so that objects are read without waiting for their classes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from jdbpy.session.events.frames import SlotVariable, from_code, from_table
from jdbpy.session.java.signatures import java_name
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Method
from jdbpy.session.snapshots.forms import ID, INT, LAYOUTS, NULL, OK, SLOT, size_of
from jdbpy.session.snapshots.keeping import KeptAnswers
from jdbpy.session.snapshots.masking import Masks
from jdbpy.wire.constants import Tag, TypeTag
from jdbpy.wire.ids import MethodID, ReferenceTypeID
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import class_type, method, reference_type, virtual_machine

STEP = 16
"""Distance of one reference; less for arrays, collections of the JDK, and the links of a chain."""
INSIDE = 8
_CHAIN = 2
_MISSES = 8
"""So many more objects of subclasses than of a class are read by its layout in vain, before that is given up."""

_FOLLOWED = {
    "Ljava/lang/Thread;": {"parkBlocker": 0, "holder": 0},
    "Ljava/lang/ClassLoader;": {"parent": 0, "name": 0, "ucp": 0, "pdcache": 0},
    "Ljava/lang/Module;": {"descriptor": 0, "name": 0},
    "Ljava/lang/Class;": {"protectionDomain": 0},
    "Ljava/security/ProtectionDomain;": {"codesource": 0},
}
"""Fields of what leads to half of the JVM that are followed, with their cost. The objects in the others are kept by
their types."""

_LISTED_BY_THE_JVM = ("Ljdk/internal/ref/", "Ljava/lang/ref/")
"""Objects that the JVM keeps in lists of all that is to be cleaned up: their links lead to nothing of one's own, one
trip each."""

_NEVER = 1 << 20
_STATIC = 0x0008
_MOST_LISTED = 30_000
"""Classes whose fields and superclasses are kept although no object of them is."""
_FEW_LISTED = 5_000
"""So many classes are kept with their methods; of more the program's and those of objects."""
_MOST_METHODS = 300
"""Methods of a class whose lines and variables are kept."""
_JDK = ("Ljava/", "Ljdk/", "Lsun/", "Lcom/sun/", "Ljavax/")


_FACTS = (
    reference_type.Modifiers,
    reference_type.ClassLoader,
    reference_type.FieldsWithGeneric,
    reference_type.Interfaces,
    reference_type.SourceFile,
    class_type.Superclass,
)
"""The facts that are kept of all types, arrays among them."""


class Layout:
    """The fields of the objects of one class, those of its superclasses included."""

    def __init__(self, type_id: bytes, signature: str, fields: list[Any], chain: list[str], masks: Masks) -> None:
        self.type_id = type_id
        self.signature = signature
        self.names = [each.name for each in fields]
        self.tags = [ord(each.signature[0]) for each in fields]
        self.ids = b"".join(ID.pack(each.fieldID) for each in fields)
        self.asked = INT.pack(len(fields)) + self.ids
        text = signature == "Ljava/lang/String;"  # a string is masked as a whole
        self.masked = frozenset(at for at, each in enumerate(fields) if not text and masks.hides(each.name))
        codes = ["BQ" if tag in OBJECT_TAGS else f"{1 + size_of(tag)}x" for tag in self.tags]
        self.form = struct.Struct(">4x" + "".join(codes))
        """Of an answer: tag and id of each reference."""
        followed = next((_FOLLOWED[each] for each in chain if each in _FOLLOWED), None)
        inside = signature.startswith("Ljava/util/")

        def cost(each: Any) -> int:
            if followed is not None:
                return followed.get(each.name, _NEVER)
            is_link = each.signature in chain and not each.signature.startswith(_LISTED_BY_THE_JVM)
            return _CHAIN if is_link else INSIDE if inside else STEP

        self.references = [
            (each.name, each.signature, cost(each))
            for each, tag in zip(fields, self.tags, strict=True)
            if tag in OBJECT_TAGS
        ]
        """Name, declared type and cost of each field that holds a reference."""

        self._hits = self._misses = 0

    @property
    def fits(self) -> bool:
        """False once most of the objects that were read by this layout were of subclasses."""
        return self._misses <= self._hits + _MISSES

    def count(self, *, hit: bool) -> None:
        """Take note of an object that was read by this layout before its type was known."""
        self._hits += hit
        self._misses += not hit

    def index(self, *names: str) -> int | None:
        """Return the place of the first field with one of these names among all; None if there is none."""
        return next((index for index, name in enumerate(self.names) if name in names), None)


class FrameForm:
    """The variables at a place in code: what is asked of a frame that stands there, and what its answer is made of.

    Slot 0 is ``this``, where there is one, asked as if it were a variable.
    """

    def __init__(self, variables: list[SlotVariable], masks: Masks, *, has_this: bool) -> None:
        self.has_this = has_this
        self.slots: list[tuple[int, int]] = [(0, Tag.OBJECT)] if has_this else []
        self.slots += [(each.slot, ord(each.signature[0])) for each in variables]
        names = ["", *(each.name for each in variables)] if has_this else [each.name for each in variables]
        self.hidden = frozenset(at for at, name in enumerate(names) if name and masks.hides(name))
        self.asked = INT.pack(len(self.slots)) + b"".join(SLOT.pack(*each) for each in self.slots)
        codes = ["BQ" if tag in OBJECT_TAGS else f"{1 + size_of(tag)}x" for _, tag in self.slots]
        self.form = struct.Struct(">4x" + "".join(codes))
        """Of an answer: tag and id of each reference."""


OnLayout = Callable[[bytes, list[bytes]], None]


class SnapshotClasses:
    """The classes of the target, as far as a snapshot needs them."""

    def __init__(self, kept: KeptAnswers, masks: Masks, on_layout: OnLayout, *, modules: bool) -> None:
        """``on_layout`` is called with each class whose objects are found, and those above it."""
        self.layouts: dict[bytes, Layout] = {}
        self.signatures: dict[bytes, str] = {}
        self.string = b""
        """The type of strings."""
        self.on_stacks: dict[bytes, dict[bytes, None]] = {}
        """The classes of frames, with their methods there."""
        self._kept = kept
        self._on_layout = on_layout
        self._masks = masks
        self._modules = modules
        self._tags: dict[bytes, int] = {}
        self._named: dict[str, list[bytes]] = {}
        self._superclasses: set[bytes] = set()
        self._fields: dict[bytes, list[Any]] = {}
        self._methods: dict[bytes, dict[int, Method]] = {}
        self._places: dict[bytes, FrameForm | None] = {}

    # -- the list --------------------------------------------------------------------------------------------------

    def ask_list(self) -> None:
        """Ask for all classes, once more if they were asked for."""
        self._kept.drop(virtual_machine.AllClassesWithGeneric, b"")
        self._kept.keep(virtual_machine.AllClassesWithGeneric, b"", self._learn_list)

    def _learn_list(self, error: int, data: bytes) -> None:
        if error:
            return
        listed = self._kept.decoded(virtual_machine.AllClassesWithGeneric, data).classes
        columns = (listed.column(name) for name in ("typeID", "refTypeTag", "signature"))
        for number, tag, signature in zip(*columns, strict=True):
            type_id = ID.pack(number)
            if type_id not in self._tags:
                self._tags[type_id] = tag
                self.signatures[type_id] = signature
                self._named.setdefault(signature, []).append(type_id)
        self.string = self.named("Ljava/lang/String;")

    def named(self, signature: str) -> bytes:
        """Return the one class of that name; nothing if there is none, or several."""
        found = self._named.get(signature, ())
        return found[0] if len(found) == 1 else b""

    def ask_members(self) -> None:
        """Ask for the fields and the superclass of the classes that are listed."""

        def above(error: int, data: bytes) -> None:
            if not error:
                self._superclasses.add(data[:8])

        for type_id in list(self._tags)[:_MOST_LISTED]:
            if self._tags[type_id] != TypeTag.ARRAY:
                self._kept.keep(reference_type.FieldsWithGeneric, type_id)
                if self._tags[type_id] == TypeTag.CLASS:
                    self._kept.keep(class_type.Superclass, type_id, above)

    def expected(self, signature: str) -> Layout | None:
        """Return the layout by which the object in a field of this declared type can be read before its type is known.

        Its fields are there whatever subclass the object is of. None for what is no class, for a class without fields,
        and for one whose objects have mostly been of subclasses. No trip.
        """
        type_id = self.named(signature)
        if not type_id or self._tags.get(type_id) != TypeTag.CLASS:
            return None
        found: list[Layout] = []
        if type_id in self.layouts or all(
            self._kept.of(command).get(type_id) for command in (reference_type.FieldsWithGeneric, class_type.Superclass)
        ):
            self.layout(type_id, found.append)
        return found[0] if found and (found[0].ids or type_id not in self._superclasses) and found[0].fits else None

    # -- layouts ---------------------------------------------------------------------------------------------------

    def layout(self, type_id: bytes, known: Callable[[Layout], None]) -> None:
        """Call ``known`` with the layout of a class's objects: at once when the class is known."""
        found = self.layouts.get(type_id)
        if found is not None:
            known(found)
        else:
            self._climb(type_id, [type_id], known)

    def _climb(self, type_id: bytes, chain: list[bytes], known: Callable[[Layout], None]) -> None:
        last = chain[-1]

        def with_fields(error: int, data: bytes) -> None:
            if last not in self._fields:
                declared = [] if error else self._kept.decoded(reference_type.FieldsWithGeneric, data).declared
                self._fields[last] = declared
            self._kept.tell(class_type.Superclass, last, with_superclass)

        def with_superclass(error: int, data: bytes) -> None:
            if last not in self.signatures:
                self._kept.tell(reference_type.SignatureWithGeneric, last, with_signature)
            elif not error and len(data) == len(NULL) and data != NULL and data not in chain and len(chain) < 1_000:
                self._climb(type_id, [*chain, data], known)
            else:
                self._lay_out(type_id, chain, known)

        def with_signature(error: int, data: bytes) -> None:
            told = None if error else self._kept.decoded(reference_type.SignatureWithGeneric, data)
            self.signatures[last] = told.signature if told is not None else ""
            self._kept.tell(class_type.Superclass, last, with_superclass)

        self._kept.tell(reference_type.FieldsWithGeneric, last, with_fields)

    def _lay_out(self, type_id: bytes, chain: list[bytes], known: Callable[[Layout], None]) -> None:
        if type_id not in self.layouts:
            fields = [each for above in chain for each in self._fields.get(above, ()) if not each.modBits & _STATIC]
            names = [self.signatures.get(each, "") for each in chain]
            layout = self.layouts[type_id] = Layout(type_id, names[0], fields, names, self._masks)
            self._kept.entries.setdefault(LAYOUTS, {})[type_id] = layout.ids
            self._on_layout(type_id, chain)
        known(self.layouts[type_id])

    def static_fields(self, type_id: bytes) -> list[Any]:
        """Return the static fields of a class whose layout is known."""
        return [each for each in self._fields.get(type_id, ()) if each.modBits & _STATIC]

    def of_the_program(self, type_id: bytes) -> bool:
        """True if a class is none of the JDK."""
        return not self.signatures.get(type_id, "Ljava/").startswith(_JDK)

    # -- variables of frames ---------------------------------------------------------------------------------------

    def variables(
        self,
        type_id: bytes,
        method_id: bytes,
        code_index: int,
        known: Callable[[FrameForm | None], None],
    ) -> None:
        """Call ``known`` with the variables at a place in code; None for native code. At once when it is known."""
        place = type_id + method_id + ID.pack(code_index)
        if place in self._places:
            known(self._places[place])
            return
        key = type_id + method_id

        def with_methods(error: int, data: bytes) -> None:
            if type_id not in self._methods:
                self._methods[type_id] = {} if error else self._read_methods(type_id, data)
            self._kept.tell(method.VariableTableWithGeneric, key, with_table)

        def with_table(error: int, data: bytes) -> None:
            if place in self._places:  # somebody has waited for it before
                known(self._places[place])
                return
            found = self._methods[type_id].get(ID.unpack(method_id)[0])
            if found is None or found.is_native:
                ready(None)
            elif error:
                self._kept.tell(method.Bytecodes, key, with_code)
            else:
                reply = self._kept.decoded(method.VariableTableWithGeneric, data)
                number = ReferenceTypeID(ID.unpack(type_id)[0]), MethodID(ID.unpack(method_id)[0])
                table = facts.VARIABLES.read(number, reply)
                assert table is not None
                ready(FrameForm(from_table(table, code_index), self._masks, has_this=not found.is_static))

        def with_code(error: int, data: bytes) -> None:
            found = self._methods[type_id][ID.unpack(method_id)[0]]
            code = b"" if error else bytes(self._kept.decoded(method.Bytecodes, data).bytes)
            ready(FrameForm(from_code(found, code, code_index), self._masks, has_this=not found.is_static))

        def ready(form: FrameForm | None) -> None:
            self._places[place] = form
            known(form)

        if type_id not in self._methods:
            self._kept.keep(method.VariableTableWithGeneric, key)  # beside the methods: one trip for both
            if not self.of_the_program(type_id):  # methods of the JDK have no such tables: one trip for all three
                self._kept.keep(method.Bytecodes, key)
            self._kept.tell(reference_type.MethodsWithGeneric, type_id, with_methods)
        else:
            self._kept.tell(method.VariableTableWithGeneric, key, with_table)

    def _read_methods(self, type_id: bytes, data: bytes) -> dict[int, Method]:
        number = ReferenceTypeID(ID.unpack(type_id)[0])
        reply = self._kept.decoded(reference_type.MethodsWithGeneric, data)
        return {each.id: each for each in facts.METHODS.read(number, reply)}

    # -- facts -----------------------------------------------------------------------------------------------------

    def ask_facts(self) -> None:
        """Ask for what commands want to know of the classes of frames and objects: the target may run.

        Nested types are not among it: for each class the agent would look at all that are loaded.
        """
        for type_id in dict.fromkeys([*self.on_stacks, *self.layouts]):
            self._class(type_id, on_stack=type_id in self.on_stacks)
            self._kept.keep(reference_type.MethodsWithGeneric, type_id)

    def ask_other_facts(self) -> None:
        """Ask the same of the classes that no frame and no object has led to, those of the program first."""
        for type_id in sorted(list(self._tags)[:_MOST_LISTED], key=self.of_the_program, reverse=True):
            self._class(type_id, on_stack=False)

    @property
    def without_facts(self) -> int:
        """How many listed classes are known by their names only."""
        known = self._kept.of(reference_type.SourceFile)
        return sum(not known.get(type_id) for type_id in self._tags)

    def ask_unlisted(self, type_ids: Iterable[bytes]) -> None:
        """Ask for facts of those of the types that are not listed, and of what is above them."""
        for type_id in dict.fromkeys(type_ids):
            if type_id and type_id not in self._tags:
                self._class(type_id, on_stack=False)
                self._kept.keep(reference_type.MethodsWithGeneric, type_id)
                self.layout(type_id, lambda _: None)

    def _class(self, type_id: bytes, *, on_stack: bool) -> None:
        keep = self._kept.keep
        for fact in _FACTS:
            keep(fact, type_id)
        if type_id not in self._tags:
            keep(reference_type.SignatureWithGeneric, type_id)
        if len(self._tags) <= _FEW_LISTED or self._tags.get(type_id) == TypeTag.ARRAY:
            keep(reference_type.MethodsWithGeneric, type_id)
        if on_stack or self.of_the_program(type_id):
            for fact in (
                reference_type.SourceDebugExtension,
                reference_type.ClassFileVersion,
                *((reference_type.Module,) if self._modules else ()),
            ):
                keep(fact, type_id)

            def with_methods(error: int, data: bytes) -> None:
                if not error:
                    declared = self._kept.decoded(reference_type.MethodsWithGeneric, data).declared
                    for each in declared[:_MOST_METHODS]:
                        self._method(type_id, ID.pack(each.methodID))

            self._kept.tell(reference_type.MethodsWithGeneric, type_id, with_methods)
        for method_id in self.on_stacks.get(type_id, ()):
            self._method(type_id, method_id)
            keep(method.IsObsolete, type_id + method_id)

    def _method(self, type_id: bytes, method_id: bytes) -> None:
        self._kept.keep(method.LineTable, type_id + method_id)
        self._kept.keep(method.VariableTableWithGeneric, type_id + method_id)

    def sources(self) -> list[tuple[str, str]]:
        """Class name and source file of the program's classes on the stacks, when ``ask_facts`` is answered."""
        found: dict[tuple[str, str], None] = {}
        for type_id in filter(self.of_the_program, self.on_stacks):
            entry = self._kept.of(reference_type.SourceFile).get(type_id, b"")
            if entry[:2] == OK and self.signatures[type_id]:
                found[java_name(self.signatures[type_id]), entry[6:].decode("utf-8", "replace")] = None
        return list(found)
