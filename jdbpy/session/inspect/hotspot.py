"""HotSpot's flags (``-XX``), and its diagnostic commands: those that ``jcmd`` runs.

Flags are read and set through the bean of the module jdk.management. ``jcmd`` itself hangs on a target that a debugger
holds, because the thread that would answer it is held too (docs/agent.md, "jcmd hangs on a suspended target"); here the
commands run in a thread that an event has stopped, in one of the debugger's own, or by ``Target.diagnostics`` where
there is no agent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jdbpy.errors import EvalError, Thrown, UsageError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.jvm.pins import COLLECTED
from jdbpy.session.eval.target import Raw, Ref, to_wire
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCalls, on
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.diagnostic_texts import flags_in
from jdbpy.session.java.releases import (
    DIAGNOSTIC_COMMANDS,
    DIAGNOSTIC_COMMANDS_FIELD,
    DIAGNOSTIC_COMMANDS_OWNER,
    FLAG,
    MANAGEMENT,
)
from jdbpy.session.model.values import Limits
from jdbpy.session.model.vm import VmFlag
from jdbpy.session.values.describe import describe
from jdbpy.wire.constants import Tag

_ONLY_PRINTS = re.compile(
    r"(help|Thread\.print|JFR\.(check|view|query)|GC\.(class_\w+|heap_info|finalizer_info)"
    r"|VM\.(?!set_flag|log|cds)\w+|Compiler\.(code\w+|queue|memory))(\s|$)"
)
"""Diagnostic commands that change nothing: one is run again where the target has collected its answer."""


COMMAND_LIMIT = 60.0
"""Seconds that a diagnostic command may take: the first JFR.start loads the recorder, a dump writes the whole heap."""

ANSWER_LOST = "(it has run; the target has collected its answer before it was read)"


def only_prints(line: str) -> bool:
    """True if a diagnostic command changes nothing, as far as it is known, and may be run again."""
    return _ONLY_PRINTS.match(line.strip() or "help") is not None


async def run_diagnostic_command(runner: CallRunner, line: str) -> str:
    """Run a command with its arguments and return what it prints; "" and "help" list the commands.

    Raises UsageError in HotSpot's words for one that there is not. Where one that changes something has run, and the
    target has collected its answer, that is ``ANSWER_LOST``. wire: 8 trips over a link, 3 again.
    """
    if runner.diagnostics is not None:
        return await runner.diagnostics.run(line.strip() or "help")
    async with runner.calls("a diagnostic command", limit=COMMAND_LIMIT) as calls:
        bean, [text] = await both(lambda: _bean(calls), lambda: calls.strings([line.strip() or "help"]))
        signature = "(Ljava/lang/String;)Ljava/lang/String;"
        try:
            bean_class = DIAGNOSTIC_COMMANDS.on(calls.release)
            running = on(bean, bean_class, "executeDiagnosticCommand", signature, text)
            [printed] = await calls.all(running.replace(once=not only_prints(line)))
        except Thrown as error:
            raise UsageError(error.exception_message or error.message, hint="'jcmd' lists the commands") from error
        except EvalError as error:
            if error.code != COLLECTED:
                raise
            return ANSWER_LOST
        return await calls.text(printed) or ""


async def _bean(calls: UtilityCalls) -> Raw:
    """Return the bean that runs them; it is kept in a static field once it was made. wire: 6 trips, 1 again."""
    owner = DIAGNOSTIC_COMMANDS_OWNER.on(calls.release)
    # what loads the library has to be initialized before others of it
    await calls.expect(
        load=[row.on(calls.release) for row in (MANAGEMENT, DIAGNOSTIC_COMMANDS_OWNER, DIAGNOSTIC_COMMANDS)]
    )
    kept = await _kept(calls, owner)
    if kept is None:
        await calls.static(owner, "getDiagnosticCommandMBean", "()Lcom/sun/management/DiagnosticCommandMBean;")
        kept = await _kept(calls, owner)
    return kept


async def _kept(calls: UtilityCalls, owner: str) -> Raw:
    return await calls.static_field(owner, DIAGNOSTIC_COMMANDS_FIELD.on(calls.release))


_BEAN = "com.sun.management.HotSpotDiagnosticMXBean"
_ORIGIN = "com.sun.management.VMOption$Origin"
_BRIEF = Limits(depth=0)
_BOXES = ("java.lang.Boolean", "java.lang.Long", "java.lang.Double", "java.lang.String")
"""The classes in which values are kept: worth learning on the way."""


async def read_flags(target: Target, runner: CallRunner) -> list[VmFlag]:
    """Return all flags of this JVM by name. Raises StateError on another JVM than HotSpot. wire: 10 trips, 6 again."""
    if runner.diagnostics is not None:
        return flags_in(await runner.diagnostics.run("VM.flags -all"))
    async with runner.calls("reading the flags of the VM") as calls:
        flag = FLAG.on(calls.release)
        await calls.expect("java.util.List", *_BOXES, load=[MANAGEMENT.on(calls.release), flag, _ORIGIN])
        listed, origins = await both(
            lambda: calls.static(flag, "getAllFlags", "()Ljava/util/List;"), lambda: calls.constants(_ORIGIN)
        )
        flags = await calls.array(await calls.call(listed, "java.util.List", "toArray", "()[Ljava/lang/Object;"))
        calls.declare(flag, *flags)
        rows = await calls.fields(flags, flag, "name", "value", "origin", "writeable")
        return await _read(target, calls, rows, origins)


async def set_flag(runner: CallRunner, name: str, value: str) -> None:
    """Set a flag of the running VM; few can be. Raises UsageError in HotSpot's words when it refuses.

    wire: 6 trips over a link, 2 again.
    """
    if runner.diagnostics is not None:
        return await runner.diagnostics.set_flag(name, value)
    async with runner.calls("setting a flag of the VM") as calls:
        _, texts = await both(
            lambda: calls.expect(load=["java.lang.management.ManagementFactory"], beans=[_BEAN]),
            lambda: calls.strings([name, value]),
        )
        [bean] = await calls.all(await calls.bean(_BEAN))
        calls.declare(_BEAN, bean)
        try:
            await calls.call(bean, _BEAN, "setVMOption", "(Ljava/lang/String;Ljava/lang/String;)V", *texts)
        except Thrown as error:
            raise UsageError(
                error.exception_message or error.message,
                hint="'flags' marks those that can be set",
                code="NOT_WRITEABLE",
            ) from error


async def _read(
    target: Target, calls: UtilityCalls, rows: Sequence[Sequence[Raw]], origins: Mapping[int, str]
) -> list[VmFlag]:
    """Return the fields of flag objects in words; ``origins`` are the names of the constants, by their ids."""
    strings = [value if isinstance(value, Ref) and value.tag == Tag.STRING else None for _, value, *_ in rows]
    texts, values = await both(
        lambda: calls.texts([*(name for name, *_ in rows), *strings]),
        lambda: describe(target, [to_wire("Ljava/lang/Object;", value) for _, value, *_ in rows], _BRIEF),
    )
    flags = [
        VmFlag(
            name or "",
            value.text if text is None else text,
            _in_words(origins.get(origin.id, "") if isinstance(origin, Ref) else ""),
            bool(writeable),
        )
        for name, text, value, (*_, origin, writeable) in zip(
            texts[: len(rows)], texts[len(rows) :], values, rows, strict=True
        )
    ]
    return sorted(flags, key=lambda flag: flag.name)


def _in_words(constant: str) -> str:
    """``VM_CREATION`` in words."""
    return constant.replace("_", " ").lower()
