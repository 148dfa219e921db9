"""The class that a woven method calls: filters, a condition, a count, and empty methods for breakpoints."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jdbpy.session.in_target.weave.records import (
    COUNTER,
    HANDLE,
    OBJECT,
    THREAD_LOCAL,
    THROWABLE,
    CheckCall,
    CheckCount,
    Emitted,
    Filters,
    Handle,
    HelperClass,
)
from jdbpy.session.java.constant_pool import STRING, ConstantPool
from jdbpy.session.java.edit.assembler import FINAL, PUBLIC, VOLATILE, Assembler, ClassWriter, Label, words
from jdbpy.session.java.edit.code_variable import CheckParameter

_MARK = "jdbpy "
_LEGAL = re.compile(r"[^.;\[/<>]+")

Act = Callable[[Assembler, Sequence[int], Label], None]


def helper_class(
    name: str, host: str, condition: Emitted | None, filters: Filters = Filters(), count: CheckCount = CheckCount()
) -> HelperClass:
    """Return a helper that calls ``trap`` for hits that pass the filters, whose condition holds and whose number fits.

    ``name`` and ``host`` are internal names of the same package. Raises CodeTooLong, PoolFull.
    """
    writer = HelperWriter(name, host, [condition] if condition is not None else [], filters)
    counted = writer.counts(count)

    def act(code: Assembler, values: Sequence[int], out: Label) -> None:
        if counted:
            pass_number(code, count, out)
        code.call_static(name, "trap", "()V")

    writer.check(condition, act)
    writer.cls.method("trap", "()V", lambda code: code.return_())
    writer.failed()
    return HelperClass(
        name=name,
        data=writer.data(),
        call=writer.call,
        runs_methods=writer.runs_methods,
        handles=writer.handles,
        references=writer.references,
    )


_OUT = {"==": "ifne", "!=": "ifeq", ">=": "iflt", "<=": "ifgt", ">": "ifle", "<": "ifge"}
"""The jump for a number that does not fit the operator."""


def pass_number(code: Assembler, count: CheckCount, out: Label, local: int | None = None) -> None:
    """Count the hit, and jump to ``out`` unless its number fits and enough that did have passed. The number is kept in
    the ``local``."""
    _number(code, "HITS")
    if local is not None:
        code.op("dup2")
        code.store("J", local)
    if count.op == "%":
        code.push_long(count.number)
        code.op("lrem")
        code.push_long(0)
    elif count.op:
        code.push_long(count.number)
    if count.op:
        code.op("lcmp")
        code.jump(_OUT["==" if count.op == "%" else count.op], out)
    else:
        code.op("pop2")
    if count.ignore:
        _number(code, "PASSED")
        code.push_long(count.ignore)
        code.op("lcmp")
        code.jump("ifle", out)


def _number(code: Assembler, counter: str) -> None:
    code.get_static(code.owner, counter, f"L{COUNTER};")
    code.call(COUNTER, "incrementAndGet", "()J")


class HelperWriter:
    """The common part of helpers of all kinds: the call, the filters, the guard, what is caught."""

    def __init__(self, name: str, host: str, emitted: Sequence[Emitted], filters: Filters) -> None:
        self.cls = ClassWriter(name)
        self.name = name
        self.handles: tuple[Handle, ...] = tuple(dict.fromkeys(each for one in emitted for each in one.handles))
        variables: dict[int, CheckParameter] = {}
        if filters.instance:
            variables[0] = CheckParameter(0, OBJECT, "this")
        for one in emitted:
            variables.update({each.slot: each for each in one.parameters})
        self.call = CheckCall(name, "check", tuple(variables[slot] for slot in sorted(variables)))
        self.references = tuple(each for each in ("thread", "instance") if getattr(filters, each))
        self.runs_methods = any(each.calls for each in emitted)
        self._mark = -1  # the local variable with the thread's mark
        self._counters: dict[str, int] = {}
        self.cls.field(PUBLIC | FINAL, "HOST", "Ljava/lang/String;", _MARK + host)
        for each in self.references:
            self.cls.field(PUBLIC | VOLATILE, each, OBJECT)
        for handle in self.handles:
            self.cls.field(PUBLIC | FINAL, handle.field, HANDLE)
        if self.runs_methods:
            self.cls.field(FINAL, "BUSY", f"L{THREAD_LOCAL};")

    def counter(self, field: str, start: int = 0) -> None:
        """Add an AtomicLong in a static field."""
        self._counters[field] = start
        self.cls.field(PUBLIC | FINAL, field, f"L{COUNTER};")

    def counts(self, count: CheckCount) -> bool:
        """True if the number of a hit decides; counters are added then."""
        if count.op or count.ignore:
            self.counter("HITS", count.start)
            self.counter("PASSED")
        return bool(count.op or count.ignore)

    def check(
        self,
        condition: Emitted | None,
        act: Act,
        values: Sequence[Emitted] = (),
        before: Act | None = None,
        *,
        caught: bool = False,
    ) -> None:
        """Add the method ``check``. ``act`` writes what happens at a hit whose condition holds: with the numbers of the
        locals that hold ``values``, and the label to jump to when there is nothing to do. ``before`` writes what comes
        between the condition and the values. ``caught``: what ``act`` throws goes no further."""

        def write(code: Assembler) -> None:
            out, quiet, failed, start, end = Label(), Label(), Label(), Label(), Label()
            acting, dropped = Label(), Label()
            self.filter(code, out)
            if condition is not None and condition.unguarded is not None and not values and before is None:
                self._try_unguarded(code, condition.unguarded, acting, out)
            self.enter(code, out)
            code.place(start)
            if condition is not None:
                condition.write(code)
                code.jump("ifeq", quiet)
            if before is not None:
                before(code, [], quiet)
            locals_ = []
            for each in values:
                each.write(code)
                locals_.append(code.new_local(each.signature))
                code.store(each.signature, locals_[-1])
            code.place(end)
            self.leave(code)
            code.place(acting)
            act(code, locals_, out)
            code.place(out)
            code.return_()
            if caught:
                code.handle(acting, out, dropped)
                code.place(dropped)
                code.op("pop")
                code.return_()
            if condition is not None or before is not None:
                code.place(quiet)
                self.leave(code)
                code.return_()
            if condition is not None or values:
                code.handle(start, end, failed)
                code.place(failed)
                self.leave(code)
                code.call_static(self.name, "failed", f"({THROWABLE})V")
                code.return_()

        self.cls.method("check", self.call.signature, write, self.call.parameters, named(self.call.parameters))

    def _try_unguarded(
        self, code: Assembler, write: Callable[[Assembler, Label], None], holds: Label, out: Label
    ) -> None:
        """Jump where the condition holds, and out where it does not; come here where it runs methods of any kind."""
        start, end, threw, guarded = Label(), Label(), Label(), Label()
        code.place(start)
        write(code, guarded)
        code.place(end)
        code.jump("ifne", holds)
        code.jump("goto", out)
        code.handle(start, end, threw)
        code.place(threw)
        code.op("pop")
        code.place(guarded)

    def filter(self, code: Assembler, out: Label) -> None:
        """Jump to ``out`` in another thread than the one that is meant, and for another object."""
        for each in self.references:
            if each == "thread":
                code.call_static("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;")
            else:
                code.load_argument(0, OBJECT)
            code.get_static(self.name, each, OBJECT)
            code.jump("if_acmpne", out)

    def enter(self, code: Assembler, out: Label) -> None:
        """Mark that the thread evaluates this condition, or jump to ``out`` if it does so already: for a condition that
        runs methods of the program. The mark is an array that the thread keeps: it is looked for once."""
        if not self.runs_methods:
            return
        known = Label()
        self._mark = code.new_local("[I")
        code.get_static(self.name, "BUSY", f"L{THREAD_LOCAL};")
        code.call(THREAD_LOCAL, "get", f"(){OBJECT}")
        code.check_cast("[I")
        code.store("[I", self._mark)
        code.load("[I", self._mark)
        code.jump("ifnonnull", known)
        code.push_int(1)
        code.new_array("I")
        code.store("[I", self._mark)
        code.get_static(self.name, "BUSY", f"L{THREAD_LOCAL};")
        code.load("[I", self._mark)
        code.call(THREAD_LOCAL, "set", f"({OBJECT})V")
        code.place(known)
        code.load("[I", self._mark)
        code.push_int(0)
        code.array_load("I")
        code.jump("ifne", out)
        self._set_mark(code, 1)

    def leave(self, code: Assembler) -> None:
        """Take the mark away."""
        if self.runs_methods:
            self._set_mark(code, 0)

    def _set_mark(self, code: Assembler, value: int) -> None:
        code.load("[I", self._mark)
        code.push_int(0)
        code.push_int(value)
        code.array_store("I")

    def failed(self, write: Callable[[Assembler], None] = lambda code: code.return_()) -> None:
        """Add the method ``failed``, which is called with the exception that the condition threw."""
        self.cls.method("failed", f"({THROWABLE})V", write, variables=[("thrown", THROWABLE, 0)])

    def data(self, write: Callable[[Assembler], None] | None = None) -> bytes:
        """Return the class file; ``write`` adds to the static initializer."""
        if self._counters or self.runs_methods or write is not None:

            def initialize(code: Assembler) -> None:
                for field, start in self._counters.items():
                    code.new(COUNTER)
                    code.op("dup")
                    code.push_long(start)
                    code.call_constructor(COUNTER, "(J)V")
                    code.put_static(self.name, field, f"L{COUNTER};")
                if self.runs_methods:
                    code.new(THREAD_LOCAL)
                    code.op("dup")
                    code.call_constructor(THREAD_LOCAL, "()V")
                    code.put_static(self.name, "BUSY", f"L{THREAD_LOCAL};")
                if write is not None:
                    write(code)
                code.return_()

            self.cls.method("<clinit>", "()V", initialize)
        return self.cls.data()


def named(parameters: Sequence[CheckParameter]) -> list[tuple[str, str, int]]:
    """Return the rows of a LocalVariableTable for parameters: the JVM's messages about null then name the variables."""
    rows, local = [], 0
    for each in parameters:
        if _LEGAL.fullmatch(each.name) and not each.owner:
            rows.append((each.name, each.passed_as, local))
        local += words(each.passed_as)
    return rows


def host_of(pool: ConstantPool) -> str | None:
    """Return the internal name of the class that a helper was made for, by its pool; None for any other class."""
    texts = (pool.name(index) for index in pool if pool.tag(index) == STRING)
    return next((text.removeprefix(_MARK) for text in texts if text.startswith(_MARK)), None)
