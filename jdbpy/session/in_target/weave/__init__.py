"""Class files changed so that a condition or a logpoint runs inside the target. Pure: bytes and records in, bytes out.

* ``records``: the records that pass between those who compile, weave and install
* ``weaver``: calls put in front of lines of methods, ``weave``, and the maps between code indices before and after
* ``condition_helper``: the class that is called, ``helper_class``
* ``ring``: records that the target keeps, and how they are read; ``log_helper``: a helper that keeps values instead of
  stopping, ``log_class``; ``trace_helper``: one for all entries and exits of the methods of a class
* ``method_wrap``: code around whole methods, with a variable and a handler of their own; ``count_helper``: a helper
  that counts their calls; ``tree_helper``: one that times the calls in their code, ``call_helper``: one that keeps
  each call; ``call_ends``: the end of a call, of all that keep it; ``record_code``, ``record_helper``,
  ``record_events``, ``record_texts``, ``record_objects``: what records a method by lines

``java.edit`` has what changes class files in general.

The functions::

    weaver.weave(data: bytes, places: Sequence[WovenPlace | Surrounding]) -> Woven
    condition_helper.helper_class(name, host, condition: Emitted | None, filters, count) -> HelperClass
    log_helper.log_class(name, host, condition: Emitted | None, values: Sequence[Emitted]) -> LogHelper
    emit.expressions.emit(compiled: Compiled, host: str) -> Emitted       raises NotInTarget
    emit.expressions.emit_values(compiled: Compiled, host: str) -> tuple[Emitted, ...]

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

Its static fields: ``HOST``, a constant String, ``jdbpy com/acme/Order`` (see ``condition_helper.host_of``); ``HITS``
and ``PASSED``, AtomicLongs, if hits are counted; those that ``HelperClass.handles`` names, final MethodHandles that
the installer fills before the host is redefined; ``thread`` and ``instance``, objects that the filters compare with.
The installer sets these, and sets them to null when it takes the helper out, so that it keeps nothing alive.
"""
