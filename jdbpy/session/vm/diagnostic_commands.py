"""HotSpot's diagnostic commands: those that ``jcmd`` runs.

``jcmd`` itself hangs on a target that a debugger holds, because the thread that would answer it is held too
(docs/agent.md, "jcmd hangs on a suspended target"); here the commands run in a thread that an event has stopped.
"""

from __future__ import annotations

from jdbpy.errors import Thrown, UsageError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.own_calls import CallRunner, OwnCalls
from jdbpy.session.eval.target import Raw

LIBRARY = "com.sun.management.internal.PlatformMBeanProviderImpl"
"""The class that loads the library of the module jdk.management: it has to be initialized before others of it."""

_CLASS = "com.sun.management.internal.DiagnosticCommandImpl"


async def run_diagnostic_command(runner: CallRunner, line: str) -> str:
    """Runs a command with its arguments and returns what it prints; "" and "help" list the commands.

    Raises UsageError in HotSpot's words for one that there is not. wire: 8 trips over a link, 3 again.
    """
    async with runner.calls("a diagnostic command") as calls:
        bean, [text] = await both(lambda: _bean(calls), lambda: calls.strings([line.strip() or "help"]))
        signature = "(Ljava/lang/String;)Ljava/lang/String;"
        try:
            printed = await calls.call(bean, _CLASS, "executeDiagnosticCommand", signature, text)
        except Thrown as error:
            raise UsageError(error.exception_message or error.message, hint="'jcmd' lists the commands") from error
        return await calls.text(printed) or ""


async def _bean(calls: OwnCalls) -> Raw:
    """The bean that runs them; it is kept in a static field once it was made. wire: 6 trips, 1 again."""
    await calls.expect(load=[LIBRARY, _CLASS])
    kept = await _kept(calls)
    if kept is None:
        await calls.static(_CLASS, "getDiagnosticCommandMBean", "()Lcom/sun/management/DiagnosticCommandMBean;")
        kept = await _kept(calls)
    return kept


async def _kept(calls: OwnCalls) -> Raw:
    return await calls.static_field(_CLASS, "diagCommandMBean")
