"""Class files changed so that a condition or a logpoint runs inside the target. Pure: bytes and records in, bytes out.

* ``parts``: the records that pass between those who compile, weave and install
* ``weaver``: calls put in front of lines of methods, ``weave``, and the maps between code indices before and after
* ``code_shift``: one Code attribute whose instructions move apart: jumps, switches, tables; ``stack_maps``: its frames
* ``slots``: which local variables have a value where
* ``assembler``: bytecode from instructions with labels; ``helper``: the class that is called, ``helper_class``
* ``ring``: a helper that keeps values instead of stopping, ``log_class``, and how they are read; ``trace_ring``: one
  for all entries and exits of the methods of a class
* ``surrounding``: code around whole methods, with a variable and a handler of their own; ``call_counts``: a helper that
  counts their calls; ``call_tree``: one that times the calls in their code,
  ``call_ring``: one that keeps each call

The functions::

    weaver.weave(data: bytes, places: Sequence[WovenPlace | Surrounding]) -> Woven
    helper.helper_class(name, host, condition: Emitted | None, filters, count) -> HelperClass
    ring.log_class(name, host, condition: Emitted | None, values: Sequence[Emitted]) -> LogHelper
    eval.emit.expressions.emit(compiled: Compiled, host: str) -> Emitted       raises NotInTarget
    eval.emit.expressions.emit_values(compiled: Compiled, host: str) -> tuple[Emitted, ...]

An installation, from an expression to a stop::

    emitted = emit(compiled, "com.acme.Order")
    helper = helper_class("com/acme/Jdbpy__1_1", "com/acme/Order", emitted, filters, count)
    woven = weave(original, [WovenPlace("total", "(I)I", 17, helper.call), ...])     # all of a class together
    woven.refused                     # these stay ordinary breakpoints; each with its reason

Then ``helper.data`` is defined in the loader of the host and initialized, the fields that ``handles`` and
``references`` name are filled, breakpoints are set at ``stops``, and the host is redefined with ``woven.data``.

**The helper** is a class file of version 49, which needs no stack maps: final, synthetic, in the host's package. Its
name begins with "Jdbpy__" behind the package. Its methods, all static and public:

* ``check(...)V`` takes the variables that the expressions read. It throws nothing.
* ``trap()V`` is empty, and called for a hit that counts. A breakpoint is set at its code index 0.
* ``failed(Ljava/lang/Throwable;)V`` is empty, and called with what the condition threw, in the thread that threw it.
  The variable ``thrown`` in slot 0 is in its LocalVariableTable. Another breakpoint is set at its code index 0.

One step out of ``trap`` or ``failed`` that excludes the helper's name ends in the host behind the call, on the line.

Its static fields: ``HOST``, a constant String, ``jdbpy com/acme/Order`` (see ``helper.host_of``); ``HITS`` and
``PASSED``, AtomicLongs, if hits are counted; those that ``HelperClass.handles`` names, final MethodHandles that the
installer fills before the host is redefined; ``thread`` and ``instance``, objects that the filters compare with. The
installer sets these, and sets them to null when it takes the helper out, so that it keeps nothing alive.
"""
