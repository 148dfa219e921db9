"""The classes that an expression meets: what they extend, what they declare, and the relations between types.

Owns subtyping (JLS 4.10), the view of a type as one of its supertypes with type arguments, and the lookup of members
(JLS 8.2). Facts come from the target when they are first needed and are linked here; the relations are then answered
without asking, so ``ensure`` the types first.

A name alone does not say which class it is: each loader may have one of its own. What the frame's loader means is found
by name; other classes are met as those of objects, and what their members name is what their own loader means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jdbpy.errors import EvalError
from jdbpy.record import Record
from jdbpy.session.eval.target import ClassFacts, EvalTarget
from jdbpy.session.java import arithmetic, signatures
from jdbpy.session.java.descriptors import MethodType, read_class, read_method, read_type
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.java.types import (
    ARRAY_SUPERTYPES,
    NULL,
    OBJECT,
    ArrayType,
    ClassType,
    JavaType,
    Primitive,
    TypeVar,
    descriptor,
    erasure,
    is_told_apart,
    source_name,
    substitute,
    told_apart,
    type_named,
    upper_bound,
)
from jdbpy.session.jvm import refs

_IN_SIGNATURE = re.compile(r"L([^;<]+)")

_METHODS_OF_OBJECT = frozenset(
    (("equals", "(Ljava/lang/Object;)Z"), ("hashCode", "()I"), ("toString", "()Ljava/lang/String;"))
)


class JClass:
    """A loaded class. ``parents`` are linked when they are first needed."""

    def __init__(self, facts: ClassFacts) -> None:
        self.facts = facts
        self.id = facts.id
        self.name = facts.name
        self.is_other = False
        """True if the frame's loader means another class by the name, or none."""
        self.means: dict[str, int] = {}
        """The classes that members name and that are others for the frame's loader, as far as names were settled."""
        self.settled: set[str] = set()
        self.parents: tuple[JClass, ...] | None = None  # superclass first; None until linked
        self._signature = self._read_signature()
        self.variables = {variable.name: variable for variable in self._signature[0]}

    def _read_signature(self) -> tuple[tuple[TypeVar, ...], tuple[ClassType, ...]]:
        if not self.facts.generic:
            return (), ()
        try:
            signature = read_class(self.facts.generic)
        except EvalError:  # obfuscators leave wrong ones behind; the erased view is still right
            return (), ()
        return signature.variables, signature.supertypes

    @property
    def is_interface(self) -> bool:
        return bool(self.facts.modifiers & signatures.INTERFACE)

    @property
    def is_abstract(self) -> bool:
        return bool(self.facts.modifiers & (signatures.ABSTRACT | signatures.INTERFACE))

    @property
    def is_final(self) -> bool:
        return bool(self.facts.modifiers & signatures.FINAL)

    @property
    def is_enum(self) -> bool:
        return bool(self.facts.modifiers & signatures.ENUM)

    @property
    def is_static_member(self) -> bool:
        """True for a static member class; the class file of a local class does not say so."""
        return bool(self.facts.modifiers & signatures.STATIC)

    @property
    def kind(self) -> str:
        """Return what javac calls it in messages."""
        if self.is_interface:
            return "interface"
        if self.is_enum:
            return "enum"
        return "record" if any(parent.name == "java.lang.Record" for parent in self.parents or ()) else "class"

    @property
    def package(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def type(self) -> ClassType:
        """Return the class as a raw type."""
        return ClassType(self.name, (), self._number)

    @property
    def this_type(self) -> ClassType:
        """Return the class applied to its own type variables: what ``this`` has inside it."""
        return ClassType(self.name, tuple(self.variables.values()), self._number)

    @property
    def _number(self) -> int:
        return self.id if self.is_other else 0

    def parent_types(self) -> Iterator[tuple[JClass, ClassType]]:
        """Yield each linked parent with the type arguments that the class gives it, in terms of its own variables."""
        generic = {kind.name: kind for kind in self._signature[1]}
        for parent in self.parents or ():
            found = generic.get(parent.name, parent.type)
            yield parent, found if not parent.is_other else found.replace(class_id=parent.id)


class JavaField(Record):
    """A field found by name. ``type`` is generic, in terms of the owner's variables."""

    owner: JClass
    member: refs.Field
    type: JavaType

    @property
    def declared_sure(self) -> bool:
        """True if the JVM guarantees the type: it is what the descriptor says, not only the generic signature."""
        known = isinstance(self.type, ClassType | ArrayType)
        return known and descriptor(self.type) == self.member.signature


class JavaMethod(Record):
    """A method or constructor. ``type`` is generic, in terms of the owner's and its own variables."""

    owner: JClass
    member: refs.Method
    type: MethodType
    erased: MethodType

    def __str__(self) -> str:
        name = self.owner.type if self.member.name == "<init>" else self.member.name
        return f"{name}({','.join(map(str, self.shown_parameters()))})"

    def shown_parameters(self) -> list[str]:
        shown = [str(kind) for kind in self.type.parameters]
        if self.member.is_varargs and shown:
            shown[-1] = shown[-1].removesuffix("[]") + "..."
        return shown


class ClassGraph:
    """The classes of one evaluation context."""

    def __init__(self, target: EvalTarget) -> None:
        self.target = target
        self._by_id: dict[int, JClass] = {}
        self._by_name: dict[str, JClass | None] = {}

    # Finding classes

    async def of_ids(self, ids: Iterable[int]) -> list[JClass]:
        """Return the classes with these ids. wire: 1 trip, 0 when known."""
        wanted = list(ids)
        strangers = await self._learn(wanted)
        if strangers:
            await self.named(dict.fromkeys(each.name for each in strangers))
            for each in strangers:
                each.is_other = self._by_name[each.name] is not each
        return [self._by_id[class_id] for class_id in wanted]

    async def _learn(self, ids: Iterable[int]) -> list[JClass]:
        """Learn classes; return those which the frame's loader may not mean by their names."""
        missing = [class_id for class_id in dict.fromkeys(ids) if class_id not in self._by_id]
        strangers = []
        for facts in await self.target.class_facts(missing) if missing else ():
            found = self._by_id[facts.id] = JClass(facts)
            if facts.own and self._by_name.setdefault(found.name, found) is found:
                continue
            strangers.append(found)
        return strangers

    async def named(self, names: Iterable[str]) -> list[JClass | None]:
        """Return the loaded classes with these binary names, None where there is none. wire: 2 trips, 0 when known."""
        wanted = list(names)
        missing = [name for name in dict.fromkeys(wanted) if name not in self._by_name]
        if missing:
            ids = await self.target.find_classes(missing)
            await self._learn(class_id for class_id in ids if class_id)
            for name, class_id in zip(missing, ids, strict=True):
                self._by_name[name] = self._by_id[class_id] if class_id else None
        return [self._by_name[name] for name in wanted]

    async def first(self, names: Sequence[str]) -> JClass | None:
        """Return the first of the names that a loaded class has; None before one that several have, see
        ``undecided``. wire: 2 trips, 0 when known; none for what is behind it."""
        known = next((at for at, name in enumerate(names) if self._is_found(name)), len(names))
        for name, found in zip(names, await self.named(names[: known + 1]), strict=False):
            if found is not None or self.target.is_undecided(name):
                return found
        return None

    def undecided(self, names: Sequence[str]) -> str:
        """Return the name at which ``first`` has ended: classes of several loaders have it, and nothing says which of
        them the frame's loader means. "" if there is none. No trip."""
        return next((name for name in names if self._by_name.get(name) is None and self.target.is_undecided(name)), "")

    def _is_found(self, name: str) -> bool:
        return self._by_name.get(name) is not None or self.target.knows_classes([name])

    async def load(self, name: str) -> JClass | None:
        """Return the class, loaded through the frame's loader if need be; None when there is no such class."""
        (found,) = await self.named([name])
        if found is None and (class_id := await self.target.load_class(name)):
            await self._learn([class_id])
            found = self._by_name[name] = self._by_id[class_id]
            found.is_other = False
        return found

    def known(self, kind: JavaType) -> JClass | None:
        """Return the class of a type that was ensured; None for one that is not loaded, and for other types."""
        if not isinstance(kind, ClassType):
            return None
        return self._by_id.get(kind.class_id) if kind.class_id else self._by_name.get(kind.name)

    async def of_type(self, kind: JavaType) -> JClass | None:
        """Return the class of a type, None for one that is not loaded, and for other types. wire: 2 trips, 0 when
        known."""
        if not isinstance(kind, ClassType):
            return None
        if not kind.class_id:
            return (await self.named([kind.name]))[0]
        return (await self.of_ids([kind.class_id]))[0]

    async def type_of(self, cls: JClass) -> JavaType:
        """Return the type of the objects of a class, which may be one of arrays. wire: 0 trips, 3 for arrays of a class
        that the frame's loader does not mean by its name."""
        kind = type_named(cls.name)
        if isinstance(kind, ClassType):
            return cls.type
        await self._settle(cls, [signature_of(cls.name)])
        return told_apart(kind, cls.means)

    async def array_class(self, kind: JavaType) -> JClass | None:
        """Return the class of arrays of a type, or of objects, loaded if need be; None when there is no such class."""
        if not is_told_apart(kind):
            return await self.load(source_name(kind))
        (element,) = class_types(kind)
        found = await self.target.others(element.class_id, [source_name(kind)])
        class_id = next(iter(found.values()), 0) or await self.target.load_class(
            source_name(kind), seen_from=element.class_id
        )
        return (await self.of_ids([class_id]))[0] if class_id else None

    async def _settle(self, owner: JClass, signatures_of_members: Iterable[str]) -> None:
        """Learn which classes the names in members of a class mean: its own loader says it. wire: 0 trips for a class
        of the frame's loader, else 1 to 3."""
        if owner.facts.own:
            return
        names = {name.replace("/", ".") for text in signatures_of_members for name in _IN_SIGNATURE.findall(text)}
        new = sorted(name for name in names - owner.settled if not name.startswith("java."))
        if new:
            found = await self.target.others(owner.id, new)
            owner.settled.update(new)
            others = await self.of_ids(found.values())
            owner.means.update((each.name, each.id) for each in others if each.is_other)

    async def parents(self, cls: JClass) -> tuple[JClass, ...]:
        """Superclass and interfaces. wire: 1 trip, 0 when known."""
        if cls.parents is None:
            facts = cls.facts
            ids = ([facts.superclass] if facts.superclass else []) + list(facts.interfaces)
            cls.parents = tuple(await self.of_ids(ids))
        return cls.parents

    async def link(self, classes: Iterable[JClass]) -> None:
        """Links all ancestors of the classes. wire: 1 trip a level, 0 when known."""
        level = list(dict.fromkeys(classes))
        seen = {cls.id for cls in level}
        while level:
            await self.of_ids(
                class_id
                for cls in level
                if cls.parents is None
                for class_id in (cls.facts.superclass, *cls.facts.interfaces)
                if class_id
            )
            above = {parent.id: parent for cls in level for parent in await self.parents(cls) if parent.id not in seen}
            seen |= above.keys()
            level = list(above.values())

    async def ensure(self, types: Iterable[JavaType]) -> None:
        """Learn all that the relations between these types depend on."""
        wanted = {found for kind in types for found in class_types(kind)}
        named = await self.named(sorted({each.name for each in wanted if not each.class_id}))
        others = await self.of_ids(sorted({each.class_id for each in wanted if each.class_id}))
        await self.link(cls for cls in (*named, *others) if cls is not None)

    # Relations; the types must have been ensured

    def ancestors(self, cls: JClass) -> Iterator[JClass]:
        """Yield the class, then everything above it that is linked; each once, superclasses before interfaces."""
        seen: dict[int, JClass] = {}
        chain = [cls]
        while chain:
            current = chain.pop(0)
            if current.id not in seen:
                seen[current.id] = current
                yield current
                chain += current.parents or ()

    def is_subtype(self, sub: JavaType, sup: JavaType) -> bool:
        """True if sub is a subtype of sup, type arguments aside (JLS 4.10, on erasures)."""
        sub, sup = erasure(sub), erasure(sup)
        if sub == sup:
            return True
        if isinstance(sub, Primitive) or isinstance(sup, Primitive):
            return isinstance(sub, Primitive) and isinstance(sup, Primitive) and arithmetic.widens(sub, sup)
        if sub is NULL or sup == OBJECT:
            return True
        if isinstance(sub, ArrayType):
            if isinstance(sup, ArrayType):
                both_references = sub.element.is_reference and sup.element.is_reference
                return both_references and self.is_subtype(sub.element, sup.element)
            return sup in ARRAY_SUPERTYPES
        return self.as_super(sub, sup) is not None

    def as_super(self, kind: JavaType, sup: JavaType) -> ClassType | None:
        """``kind`` seen as its supertype ``sup``, with type arguments; None when it is no supertype (JLS 4.10.2)."""
        return self._as_super(kind, sup, set())

    def _as_super(self, kind: JavaType, sup: JavaType, seen: set[JavaType]) -> ClassType | None:
        """``seen`` are classes that do not lead to ``sup``: a generic signature may tell of circles."""
        kind = upper_bound(kind)
        if not isinstance(kind, ClassType) or not isinstance(sup, ClassType):
            return None
        if (kind.name, kind.class_id) == (sup.name, sup.class_id):
            return kind
        cls, bare = self.known(kind), erasure(kind)
        if cls is None or bare in seen:
            return OBJECT if sup == OBJECT else None
        seen.add(bare)
        bindings = bind_arguments(cls, kind)
        for _, parent_type in cls.parent_types():
            view = parent_type if kind.args or not cls.variables else erasure(parent_type)
            found = self._as_super(substitute(view, bindings), sup, seen)
            if found is not None:
                return found
        return OBJECT if sup == OBJECT else None

    def is_final(self, kind: JavaType) -> bool:
        """True if no other class can be a subtype: then what a type says is all there is to know."""
        kind = upper_bound(kind)
        if isinstance(kind, ArrayType):
            return not kind.element.is_reference or self.is_final(kind.element)
        cls = self.known(kind)
        return not kind.is_reference or (cls is not None and cls.is_final)

    def fits_function(self, kind: JavaType, arity: int) -> bool:
        """True if the type is a functional interface whose method takes so many parameters (JLS 9.8); -1 is any."""
        cls = self.known(upper_bound(kind))
        if cls is None or not cls.is_interface:
            return False
        abstract = {
            (member.name, member.signature)
            for one in self.ancestors(cls)
            for member in one.facts.methods
            if member.is_abstract and (member.name, member.signature) not in _METHODS_OF_OBJECT
        }
        concrete = {
            (member.name, member.signature)
            for one in self.ancestors(cls)
            for member in one.facts.methods
            if not member.is_abstract
        }
        left = [read_method(signature) for name, signature in abstract - concrete]
        return len(left) == 1 and arity in (-1, len(left[0].parameters))

    def common(self, left: JavaType, right: JavaType) -> JavaType:
        """Return the nearest type that both are subtypes of: a plain version of lub (JLS 4.10.4)."""
        if self.is_subtype(left, right):
            return right
        if self.is_subtype(right, left):
            return left
        cls = self.known(upper_bound(left))
        candidates = [one for one in self.ancestors(cls) if self.is_subtype(right, one.type)] if cls else []
        for one in candidates:
            if one.name != OBJECT.name:
                return self.as_super(left, one.type) or one.type
        return OBJECT

    # Members

    async def field(self, cls: JClass, name: str) -> JavaField | None:
        """Return the field of that name as a member of the class: its own hides those above it (JLS 8.3).

        Private fields of superclasses count too. wire: 1 trip for each level that is not known.
        """
        level = [cls]
        while level:
            for owner in level:
                names = (name, signatures.expanded(owner.name, name))
                for member in owner.facts.fields:
                    if member.name in names:
                        await self._settle(owner, [member.signature, member.generic])
                        return JavaField(owner, member, _field_type(owner, member))
            level = list(dict.fromkeys([parent for owner in level for parent in await self.parents(owner)]))
        return None

    async def methods(self, cls: JClass, name: str) -> list[JavaMethod]:
        """Return the methods of that name that are members of the class, private ones included; overridden ones left
        out."""
        await self.link([cls])
        found: list[JavaMethod] = []
        seen: set[tuple[JavaType, ...]] = set()
        owners = list(self.ancestors(cls))
        if cls.is_interface:  # an interface has Object's methods without extending it (JLS 9.2)
            owners += [one for one in await self.named([OBJECT.name]) if one is not None]
        for owner in owners:
            if owner.is_interface and owner is not cls and name != "<init>":
                inherited = [m for m in owner.facts.methods if not m.is_static]  # JLS 8.4.8: statics are not inherited
            else:
                inherited = list(owner.facts.methods)
            members = [each for each in inherited if each.name == name and not each.is_synthetic]
            await self._settle(owner, [text for each in members for text in (each.signature, each.generic)])
            for member in members:
                method = make_method(owner, member)
                if method.erased.parameters not in seen:
                    seen.add(method.erased.parameters)
                    found.append(method)
        return found

    async def constructors(self, cls: JClass) -> list[JavaMethod]:
        """Return the constructors of a class."""
        members = [each for each in cls.facts.methods if each.name == "<init>" and not each.is_synthetic]
        await self._settle(cls, [text for each in members for text in (each.signature, each.generic)])
        return [make_method(cls, each) for each in members]


def is_inherited(member: JavaField | JavaMethod, cls: JClass) -> bool:
    """True if a member is one of the class by Java: its own, or inherited from where it is visible (JLS 8.2).

    A debugger shows the others too, but they hide nothing that Java sees.
    """
    if member.owner is cls:
        return True
    bits = member.member.bits
    if bits & (signatures.PUBLIC | signatures.PROTECTED):
        return True
    return not bits & signatures.PRIVATE and member.owner.package == cls.package


def is_accessible(member: JavaField | JavaMethod, home: JClass | None) -> bool:
    """True if code of a class may name a member by Java (JLS 6.6), that of subclasses in other packages aside.

    None stands for no class at all.
    """
    owner, bits = member.owner, member.member.bits
    if bits & signatures.PUBLIC:
        return True
    if home is None:
        return False
    if bits & signatures.PRIVATE:
        return signatures.outermost(owner.name) == signatures.outermost(home.name)
    return bool(bits & signatures.PROTECTED) or owner.package == home.package


def make_method(owner: JClass, member: refs.Method) -> JavaMethod:
    """Return a declared method with its types; a generic signature that does not fit the descriptor is left aside."""
    erased = _told_apart(read_method(member.signature), owner)
    if not member.generic:
        return JavaMethod(owner, member, erased, erased)
    try:
        generic = _told_apart(read_method(member.generic, owner.variables), owner)
    except EvalError:
        return JavaMethod(owner, member, erased, erased)
    # Constructors of inner and enum classes have parameters that their generic signature leaves out.
    return JavaMethod(owner, member, generic if len(generic.parameters) == len(erased.parameters) else erased, erased)


def _field_type(owner: JClass, member: refs.Field) -> JavaType:
    try:
        kind = read_type(member.generic or member.signature, owner.variables)
    except EvalError:
        kind = read_type(member.signature)
    return told_apart(kind, owner.means) if owner.means else kind


def _told_apart(kind: MethodType, owner: JClass) -> MethodType:
    if not owner.means:
        return kind
    parameters = tuple(told_apart(each, owner.means) for each in kind.parameters)
    return kind.replace(parameters=parameters, returns=told_apart(kind.returns, owner.means))


def bind_arguments(cls: JClass, kind: ClassType) -> dict[str, JavaType]:
    """Return what the type variables of the class stand for in one of its types; nothing when it is raw."""
    if len(kind.args) != len(cls.variables):
        return {}
    return dict(zip(cls.variables, kind.args, strict=True))


def class_types(kind: JavaType) -> Iterator[ClassType]:
    """Return the classes that a type consists of, bounds included, type arguments left out."""
    kind = erasure(kind)
    while isinstance(kind, ArrayType):
        kind = kind.element
    if isinstance(kind, ClassType):
        yield kind
