"""Members of classes in a helper: which ones it may name, and method handles for those that it may not.

The helper is in the host's package and loader. It names public members of public classes, and all of its package that
is not private. Anything else is reached through a handle that the installer makes.
"""

from __future__ import annotations

from zlib import crc32

from jdbpy.session.eval.emit.refusals import NotInTarget
from jdbpy.session.eval.typing.class_graph import ClassGraph, JavaField, JavaMethod, JClass
from jdbpy.session.java import signatures
from jdbpy.session.java.signatures import split_method
from jdbpy.session.java.types import ClassType
from jdbpy.session.weaving.assembler import Assembler
from jdbpy.session.weaving.parts import Handle

HANDLE = "Ljava/lang/invoke/MethodHandle;"
_METHOD_HANDLE = "java/lang/invoke/MethodHandle"
_OPEN = signatures.PUBLIC | signatures.PROTECTED


def internal(name: str) -> str:
    """The internal form of a binary name."""
    return name.replace(".", "/")


class MemberAccess:
    """The members that the helper of a host may name. ``package`` is that of the host."""

    def __init__(self, graph: ClassGraph, host: str) -> None:
        self.graph = graph
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

    def handle(self, kind: str, member: JavaField | JavaMethod) -> Handle:
        """The handle for a member."""
        owner, name, signature = member.owner, member.member.name, member.member.signature
        number = crc32(f"{kind} {owner.name}.{name}{signature}".encode("utf-8", "surrogatepass"))
        found = Handle(f"h{number:08x}", kind, owner.id, owner.name, name, signature)
        self.handles[found.field] = found
        return found


def push_handle(code: Assembler, handle: Handle) -> None:
    """Push the handle; its arguments come next."""
    code.get_static(code.owner, handle.field, HANDLE)


def call_handle(code: Assembler, signature: str) -> None:
    """Call the handle below the arguments on the stack, which are exactly of the types of the descriptor."""
    code.call(_METHOD_HANDLE, "invokeExact", signature)
