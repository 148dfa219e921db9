"""The records that pass between those who compile, weave and install."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jdbpy.record import Record
from jdbpy.session.java.edit.code_variable import CheckParameter

if TYPE_CHECKING:
    from jdbpy.session.java.edit.assembler import Assembler, Label


OBJECT = "Ljava/lang/Object;"
STRING = "Ljava/lang/String;"
THROWABLE = "Ljava/lang/Throwable;"
HANDLE = "Ljava/lang/invoke/MethodHandle;"
COUNTER = "java/util/concurrent/atomic/AtomicLong"
THREAD_LOCAL = "java/lang/ThreadLocal"

TOP = -1
"""The slot of what is on top of the operand stack: at a return, what is returned. It stays there."""

OWN = -2
"""The slot of the variable that a ``Surrounding`` has given the method."""


class CheckCall(Record):
    """A static method without a result to be called, with variables of the host as arguments. ``owner`` is an internal
    name."""

    owner: str
    name: str
    parameters: tuple[CheckParameter, ...]

    @property
    def signature(self) -> str:
        """Return the descriptor."""
        return f"({''.join(each.passed_as for each in self.parameters)})V"


class Handle(Record):
    """A ``static final MethodHandle`` of a helper that the installer fills, and the member that it must refer to.

    ``kind``: ``getter`` and ``static getter`` (``Lookup.findGetter``, ``findStaticGetter``), ``method`` and ``static
    method`` (``findVirtual``, ``findStatic``), ``constructor`` (``findConstructor``). ``owner`` is the JDWP id of the
    declaring class and ``owner_name`` its binary name; ``signature`` the JNI signature of the member.
    """

    field: str
    kind: str
    owner: int
    owner_name: str
    name: str
    signature: str


class Emitted(Record):
    """An expression as bytecode. ``write`` emits code that leaves its value on the stack.

    ``signature`` is the type of the value: ``Z`` of a condition. ``parameters`` are the variables that it reads;
    ``handles`` the members that it can reach only through handles. ``calls``: it runs methods of the program, so it
    may come through its own place again, and is guarded against that, per thread. ``unguarded`` emits code that does
    the same where all methods only read, and jumps to the label, with nothing on the stack, where another one would
    run; what it throws means the same. None where there is no such code.
    """

    signature: str
    parameters: tuple[CheckParameter, ...]
    handles: tuple[Handle, ...]
    calls: bool
    write: Callable[[Assembler], None]
    unguarded: Callable[[Assembler, Label], None] | None = None


class Filters(Record):
    """The hits that count: of one thread, of one instance (``this``). ``HelperClass.references`` names the fields
    that the installer sets to those objects."""

    thread: bool = False
    instance: bool = False


class CheckCount(Record):
    """The hits, among those whose condition holds, that are traps: ``op`` and ``number`` as those of ``HitCount``, ""
    for none. Of those that fit the first ``ignore`` pass; ``start`` hits were counted before.
    """

    op: str = ""
    number: int = 0
    ignore: int = 0
    start: int = 0


TRAP, FAILED = ("trap", "()V"), ("failed", "(Ljava/lang/Throwable;)V")
"""Methods of helpers at which breakpoints are set."""


class HelperClass(Record):
    """A helper class. ``name`` is internal: ``com/acme/Jdbpy__1_1``."""

    name: str
    data: bytes
    call: CheckCall
    handles: tuple[Handle, ...] = ()
    references: tuple[str, ...] = ()
    """Static fields of type Object that the installer sets: ``thread``, ``instance``."""
    stops: tuple[tuple[str, str], ...] = (TRAP, FAILED)
    """Methods at whose first instruction the breakpoints are set; of a logpoint only ``FAILED``."""
    runs_methods: bool = False
    """It may run methods of the program."""


class WovenPlace(Record):
    """The place where a call is put in: before the instruction at ``at``, which begins a line. ``method`` and
    ``signature`` name the method. Several places may have the same ``at``: they are called in this order.
    """

    method: str
    signature: str
    at: int
    call: CheckCall


class CallPlace(Record):
    """A call in a method: the code index of the instruction, and that of the one behind it."""

    index: int
    after: int


class Surrounding(Record):
    """Code around a whole method: at its entry, in front of each return, and where an exception leaves it.

    The method gets a variable of its own, of the type ``local`` (``J`` or ``[J``). Static methods of ``owner``, an
    internal name, are called; ``number`` is part of their names:

    * ``begin0()J`` at the entry: what it returns is in the variable from then on
    * ``left0(...J)V`` in front of a return, with ``kept`` (``TOP`` among them: what is returned) and the variable
    * ``threw0(Ljava/lang/Throwable;...J)V`` with the exception, ``kept`` without ``TOP``, and the variable; in a
      constructor only behind ``super()``
    * for ``calls``, each by its number in front of it, ``calling([JI)V``, and ``came([J)V`` behind it; ``caught([J)V``
      where the method itself catches an exception
    """

    method: str
    signature: str
    owner: str
    number: int
    local: str = "J"
    kept: tuple[CheckParameter, ...] = ()
    calls: tuple[CallPlace, ...] = ()
    at: int = 0

    @property
    def own(self) -> CheckParameter:
        """Return the method's own variable, as an argument."""
        return CheckParameter(OWN, self.local)

    @property
    def left(self) -> tuple[CheckParameter, ...]:
        """Return the arguments in front of a return."""
        return (*sorted(self.kept, key=lambda each: each.slot), self.own)

    @property
    def threw(self) -> tuple[CheckParameter, ...]:
        """Return the arguments behind the exception."""
        return tuple(each for each in self.left if each.slot != TOP)


class Refused(Record):
    """A place that is not woven. ``reason`` is one of the words below and ``text`` a sentence for the user.

    ``no such place`` (no such method, no code, or ``at`` begins no instruction), ``no variables`` (the class has no
    LocalVariableTable, and a variable is no parameter that keeps its value), ``not alive`` (a variable has no value
    there), ``before super``, ``too long`` (beyond 65,535 bytes), ``not compiled`` (beyond 8,000 bytes HotSpot compiles
    no method), ``jump too far``, ``pool full``, ``not read`` (the class file has what the weaver does not know).
    """

    place: WovenPlace | Surrounding
    reason: str
    text: str


class Insertion(Record):
    """``length`` bytes were put in before the instruction at ``at`` (index before); jumps to it lead behind the first
    ``behind`` of them."""

    at: int
    length: int
    behind: int = 0


class WovenMethod(Record):
    """The map of a woven method. ``length`` is that of its code before."""

    method: str
    signature: str
    length: int
    insertions: tuple[Insertion, ...]

    def index_after(self, index: int) -> int:
        """Return where the instruction is now that was at ``index``: behind what was put in before it."""
        return index + sum(each.length for each in self.insertions if each.at <= index)

    def start_after(self, index: int) -> int:
        """Return where jumps to ``index`` lead now, where its line begins: at what was put in before it, if anything
        was.
        """
        return index + sum(
            each.length if each.at < index else each.behind for each in self.insertions if each.at <= index
        )

    def index_before(self, index: int) -> int:
        """Return the index in the program's own code; of an instruction that was put in that of the line behind it."""
        shift = 0
        for each in self.insertions:
            start = each.at + shift
            if index < start:
                break
            if index < start + each.length:
                return each.at
            shift += each.length
        return index - shift

    def is_behind_end(self, index: int) -> bool:
        """True if the instruction at ``index`` (after) was put in behind the program's own: it is in a handler."""
        return self.index_before(index) == self.length

    def is_inserted(self, index: int) -> bool:
        """True if the instruction at ``index`` (after) was put in."""
        return self.index_after(self.index_before(index)) != index


class Woven(Record):
    """A woven class file; ``data`` is the original one when nothing could be woven."""

    data: bytes
    methods: tuple[WovenMethod, ...]
    refused: tuple[Refused, ...]

    def method(self, name: str, signature: str) -> WovenMethod | None:
        """Return the map of a method, None if nothing was put into it."""
        return next((each for each in self.methods if (each.method, each.signature) == (name, signature)), None)
