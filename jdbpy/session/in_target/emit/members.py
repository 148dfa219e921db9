"""Members of classes in a helper: reached by their names where it may name them, else through method handles.

The helper is in the host's package and loader. It names public members of public classes, and all of its package that
is not private. Anything else is reached through a handle that the installer makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from zlib import crc32

from jdbpy.session.eval.typing.class_graph import ClassGraph, JavaField, JavaMethod, JClass
from jdbpy.session.in_target.emit.refusals import NotInTarget
from jdbpy.session.in_target.weave.records import HANDLE, Handle
from jdbpy.session.java import signatures
from jdbpy.session.java.edit.assembler import Assembler
from jdbpy.session.java.signatures import split_method
from jdbpy.session.java.types import ClassType, JavaType, erasure, is_told_apart

_METHOD_HANDLE = "java/lang/invoke/MethodHandle"
_OPEN = signatures.PUBLIC | signatures.PROTECTED

Push = Callable[[str], None]
"""Writes what leaves operands on the stack, of the type or for the descriptor that it is given."""


def internal(name: str) -> str:
    """Return the internal form of a binary name."""
    return name.replace(".", "/")


class MemberAccess:
    """The members that the helper of a host may name. ``package`` is that of the host."""

    def __init__(self, graph: ClassGraph, host: str) -> None:
        self.graph = graph
        self.host = host
        self.package = host.rpartition(".")[0]
        self.handles: dict[str, Handle] = {}

    def sees(self, cls: JClass) -> bool:
        """True if the class may be named. To the JVM a protected nested class is public, and no class is private."""
        return cls.package == self.package or bool(cls.facts.modifiers & _OPEN)

    def check_type(self, signature: str) -> None:
        """Raises NotInTarget for a type that may not be named."""
        element = signature.lstrip("[")
        if element[0] == "L":
            cls = self.graph.known(ClassType(element[1:-1].replace("/", ".")))
            if cls is not None and not self.sees(cls):
                raise NotInTarget(f"needs {cls.name}, a class that its package does not see")

    def check_types(self, signature: str) -> None:
        """``check_type`` of all in a method's descriptor."""
        parameters, returned = split_method(signature)
        for each in (*parameters, returned):
            self.check_type(each)

    def reaches(self, owner: JClass, bits: int) -> bool:
        """True if the member with those modifiers may be named in its class."""
        if not self.sees(owner) or bits & signatures.PRIVATE:
            return False
        return bool(bits & signatures.PUBLIC) or owner.package == self.package

    @staticmethod
    def check_named(owner: JClass, types: Iterable[JavaType]) -> None:
        """Raises NotInTarget for a member in which a name does not mean what it means in the helper."""
        if owner.is_other or any(map(is_told_apart, types)):
            raise NotInTarget(f"needs {owner.name}, of which there are classes of several loaders")

    def handle(self, kind: str, member: JavaField | JavaMethod) -> Handle:
        """Return the handle for a member."""
        owner, name, signature = member.owner, member.member.name, member.member.signature
        number = crc32(f"{kind} {owner.name}.{name}{signature}".encode("utf-8", "surrogatepass"))
        found = Handle(f"h{number:08x}", kind, owner.id, owner.name, name, signature)
        self.handles[found.field] = found
        return found

    def named_in(self, method: JavaMethod, receiver: JavaType | None) -> JClass:
        """Return the class in which a method is named: that of the receiver where the method's own is hidden."""
        if not self.sees(method.owner) and receiver is not None:
            found = self.graph.known(erasure(receiver))
            if found is not None and self.sees(found):
                return found
        return method.owner

    def get_field(self, code: Assembler, field: JavaField, push_object: Push) -> str:
        """Read a field of an object; returns its type."""
        owner, member = field.owner, field.member
        self.check_named(owner, [field.type])
        name = internal(owner.name)
        if self.reaches(owner, member.bits):
            push_object(f"L{name};")
            code.get_field(name, member.name, member.signature)
            return member.signature
        self.check_type(f"L{name};")
        self.check_type(member.signature)
        _push_handle(code, self.handle("getter", field))
        push_object(f"L{name};")
        _call_handle(code, f"(L{name};){member.signature}")
        return member.signature

    def get_static(self, code: Assembler, field: JavaField) -> str:
        """Read a static field; returns its type."""
        owner, member = field.owner, field.member
        self.check_named(owner, [field.type])
        if self.reaches(owner, member.bits):
            code.get_static(internal(owner.name), member.name, member.signature)
        else:
            self.check_type(member.signature)
            _push_handle(code, self.handle("static getter", field))
            _call_handle(code, f"(){member.signature}")
        return member.signature

    def invoke(
        self, code: Assembler, method: JavaMethod, named_in: JClass, push_receiver: Push | None, push_arguments: Push
    ) -> str:
        """Call a method; returns the type of what it gives. ``push_arguments`` is given the method's descriptor."""
        member = method.member
        self.check_named(method.owner, (*method.erased.parameters, method.erased.returns))
        owner = f"L{internal(named_in.name)};"
        # A static method of an interface cannot be named by a class file of this version.
        direct = self.reaches(named_in, member.bits) and not (member.is_static and named_in.is_interface)
        if not direct:
            self.check_types(member.signature)
            _push_handle(code, self.handle("static method" if member.is_static else "method", method))
            if not member.is_static:
                owner = f"L{internal(method.owner.name)};"
                self.check_type(owner)
        if push_receiver is not None:
            push_receiver(owner)
        push_arguments(member.signature)
        parameters, returned = split_method(member.signature)
        if not direct:
            receiver = "" if member.is_static else owner
            _call_handle(code, f"({receiver}{''.join(parameters)}){returned}")
        elif member.is_static:
            code.call_static(owner[1:-1], member.name, member.signature)
        elif named_in.is_interface:
            code.call_interface(owner[1:-1], member.name, member.signature)
        else:
            code.call(owner[1:-1], member.name, member.signature)
        return returned

    def construct(self, code: Assembler, constructor: JavaMethod, push_arguments: Push) -> str:
        """Make an object; returns its type. ``push_arguments`` is given the constructor's descriptor."""
        owner, member = constructor.owner, constructor.member
        self.check_named(owner, constructor.erased.parameters)
        name = internal(owner.name)
        if self.reaches(owner, member.bits):
            code.new(name)
            code.op("dup")
            push_arguments(member.signature)
            code.call_constructor(name, member.signature)
        else:
            self.check_types(member.signature)
            self.check_type(f"L{name};")
            _push_handle(code, self.handle("constructor", constructor))
            push_arguments(member.signature)
            _call_handle(code, f"{member.signature.rpartition(')')[0]})L{name};")
        return f"L{name};"


def _push_handle(code: Assembler, handle: Handle) -> None:
    """Push the handle; its arguments come next."""
    code.get_static(code.owner, handle.field, HANDLE)


def _call_handle(code: Assembler, signature: str) -> None:
    """Call the handle below the arguments on the stack, which are exactly of the types of the descriptor."""
    code.call(_METHOD_HANDLE, "invokeExact", signature)
