"""Diagnostic commands over the attach socket: ``Target.diagnostics`` of a JVM without the debugger agent."""

from __future__ import annotations

import re

from jdbpy.errors import ReadOnlyError, UsageError
from jdbpy.session.without_agent.attach_socket import ANSWER_LIMIT, AttachError
from jdbpy.session.without_agent.channels import LONG_LIMIT, AttachChannel, in_session
from jdbpy.session.without_agent.thread_dump import parse_dump
from jdbpy.wire.audit import AuditLog

_ONLY_READS = re.compile(
    r"(help|Thread\.print|VM\.(version|flags|uptime|command_line|system_properties|info|classloader_stats|classloaders"
    r"|class_hierarchy|metaspace|native_memory|stringtable|symboltable|systemdictionary|dynlibs|events|log list)"
    r"|GC\.(heap_info|finalizer_info|class_histogram -all)"
    r"|Compiler\.(codecache|codelist|queue|directives_print)|JFR\.check)( .*)?"
)
"""Commands that run in a read-only session. A class histogram collects garbage, unless it counts all."""

_QUICK = re.compile(r"(help|VM\.(version|uptime|flags|command_line|system_properties)|GC\.heap_info)( .*)?")


class SocketDiagnostics:
    """Runs diagnostic commands in one JVM. ``read_only`` refuses those that change anything; ``audit`` logs them."""

    def __init__(self, channel: AttachChannel, *, read_only: bool = False, audit: AuditLog | None = None) -> None:
        self._channel = channel
        self._read_only = read_only
        self._audit = audit

    @property
    def pid(self) -> int:
        """Return the process id of the JVM on its machine."""
        return self._channel.pid

    async def run(self, line: str) -> str:
        """Run a command with its arguments and return its output. Raises UsageError with HotSpot's message,
        StateError if the JVM does not answer, and ReadOnlyError."""
        if self._read_only and line == "GC.class_histogram":
            line += " -all"  # what is garbage is counted too, instead of collected
        if not _ONLY_READS.fullmatch(line):
            self._require_change(f"jcmd {line.split()[0]}", line)
        limit = ANSWER_LIMIT if _QUICK.fullmatch(line) else LONG_LIMIT
        return await self._ask("jcmd", line, limit=limit, hint="'jcmd' lists the commands")

    async def thread_times(self) -> dict[int, float]:
        """Return the CPU time of threads in seconds, by their Java ids; {} before Java 11."""
        dump = parse_dump(await self._ask("threaddump", hint=""))
        return {each.number: each.cpu for each in dump.threads if each.cpu is not None}

    async def thread_file(self) -> bytes:
        """Return the JSON into which the JVM writes all its threads; it changes nothing but a file that is removed.
        Raises StateError."""
        try:
            return await self._channel.thread_file()
        except AttachError as error:
            raise in_session(error) from error

    async def counters(self) -> bytes:
        """Return the performance counter file of the JVM, or b"" if there is none. Raises StateError."""
        try:
            return await self._channel.counters()
        except AttachError as error:
            raise in_session(error) from error

    async def set_flag(self, name: str, value: str) -> None:
        """Set a flag of the running VM. Raises UsageError with HotSpot's message."""
        self._require_change("setting a flag", f"{name}={value}")
        await self._ask("setflag", name, value, hint="'flags' marks those that can be set", code="NOT_WRITEABLE")

    async def dump_heap(self, path: str, *, live: bool) -> None:
        """Write an HPROF file on the JVM's machine. Raises UsageError with HotSpot's message."""
        self._require_change("a heap dump", path)
        said = await self._ask("dumpheap", path, "-live" if live else "-all", limit=LONG_LIMIT, hint="")
        if "file created" not in said and "created" not in said:
            raise UsageError(f"no heap dump was written: {said.strip() or 'the JVM does not say why'}")

    async def _ask(self, *words: str, hint: str, code: str = "USAGE", limit: float = ANSWER_LIMIT) -> str:
        try:
            status, text = await self._channel.ask(*words, limit=limit)
        except AttachError as error:
            raise in_session(error) from error
        if status:
            raise UsageError(_why(text) or f"the JVM refuses it ({status})", hint=hint, code=code)
        return text

    def _require_change(self, what: str, words: str) -> None:
        """Raise ReadOnlyError in a read-only session, and StateError if the audit log cannot be written."""
        if self._read_only:
            raise ReadOnlyError(
                f"refused: {what} may change the target, and this session is read-only (--read-only)",
                hint="attach without --read-only (in a script without read_only) to change the target",
            )
        if self._audit is not None:
            self._audit.write({"command": "attach socket", "effect": "changes", "what": what, "fields": words})


def _why(text: str) -> str:
    """Return HotSpot's message without the name of the exception."""
    first = text.strip().split("\n")[0]
    return re.sub(r"^(java\.lang\.)?\w*(Exception|Error): ", "", first)[:400]
