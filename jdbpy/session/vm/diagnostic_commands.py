"""HotSpot's diagnostic commands: those that ``jcmd`` runs.

``jcmd`` itself hangs on a target that a debugger holds, because the thread that would answer it is held too (agent note
60); here the commands run in a thread that an event has stopped.
"""

from __future__ import annotations

from jdbpy.errors import UsageError
from jdbpy.session.eval.errors import Thrown
from jdbpy.session.eval.own_calls import CallRunner, OwnCalls
from jdbpy.session.eval.target import Raw

_CLASS = "com.sun.management.internal.DiagnosticCommandImpl"


async def run_diagnostic_command(runner: CallRunner, line: str) -> str:
    """Runs a command with its arguments and returns what it prints; "" and "help" list the commands.

    Raises UsageError in HotSpot's words for one that there is not. wire: four calls.
    """
    async with runner.calls("a diagnostic command") as calls:
        bean = await _bean(calls)
        signature = "(Ljava/lang/String;)Ljava/lang/String;"
        try:
            printed = await calls.call(bean, _CLASS, "executeDiagnosticCommand", signature, line.strip() or "help")
        except Thrown as error:
            raise UsageError(error.exception_message or error.message, hint="'jcmd' lists the commands") from error
        return await calls.text(printed) or ""


async def _bean(calls: OwnCalls) -> Raw:
    # A bean of the module has to be there first: it loads the library that the command needs.
    factory = "java.lang.management.ManagementFactory"
    await calls.static(factory, "getPlatformMBeanServer", "()Ljavax/management/MBeanServer;")
    return await calls.static(_CLASS, "getDiagnosticCommandMBean", "()Lcom/sun/management/DiagnosticCommandMBean;")
