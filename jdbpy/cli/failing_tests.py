"""``jdbpy test``: a command that runs tests, with the prompt, a batch or a snapshot where one of them fails.

Owns the order of it: the command runs as if nobody was there until a test fails; then the front end begins, and goes on
to the next failure, of whatever JVM, until the command ends. The exit status is the command's.
"""

from __future__ import annotations

import codecs
import os
import sys

from jdbpy import (
    Build,
    BuildCommand,
    Disconnected,
    Exited,
    Options,
    StateError,
    Stopped,
    VmState,
    open_build,
    pass_failures,
)
from jdbpy.cli.batch import Batch
from jdbpy.cli.build_summary import Summary
from jdbpy.cli.cmdline import CommandLine
from jdbpy.cli.console import Console
from jdbpy.cli.jvms import Jvms
from jdbpy.cli.output.pieces import count
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.settings import Settings
from jdbpy.errors import UsageError
from jdbpy.process.scripts import ScriptLines
from jdbpy.profiles.profile import Profile, merged_profiles
from jdbpy.task_groups import open_nursery


async def run_tests(
    line: CommandLine,
    options: Options,
    console: Console,
    settings: Settings,
    *,
    batch: bool,
) -> int:
    """Run the command, as often as that was asked for; return the exit status of the first run that failed, else 0."""
    status, number = 0, 0
    profiles: list[Profile] = []
    summary = Summary(line.snapshots, console) if line.snapshots else None
    while not line.repeat or number < line.repeat:
        number += 1
        again = line.repeat != 1
        if again:
            console.say(f"run {number}" + (f" of {line.repeat}" if line.repeat else ""))
        run = _BuildRun(line, options, console, settings, batch=batch)
        ended = await run.run(summary, profiles)
        status = status or ended
        if run.left or (ended and line.until_fails):
            break
    if line.profile:
        _show_profile(profiles, line, console)
    return status


def _show_profile(profiles: list[Profile], line: CommandLine, console: Console) -> None:
    """Show the profiles of all JVMs with tests as one, or write it to the file that was named."""
    from jdbpy.cli.commands.profiling import shown  # for this option only

    if not profiles:
        console.say("no profile: no JVM of the command has run tests and left one")
        return
    found = merged_profiles([("", each) for each in profiles])
    found.stacks.title = f"{count(len(profiles), 'JVM')} with tests, {found.stacks.title}"
    try:
        result = shown(found, line.profile_file)
        if line.profile_file and not line.json:
            console.say(f"the profile of {count(len(profiles), 'JVM')} with tests is in {', '.join(result.files)}")
        else:
            console.outcome(Outcome("profile", None, result))
    except UsageError as error:
        console.failure("profile", error)


class _BuildRun:
    """One run of the command."""

    def __init__(
        self,
        line: CommandLine,
        options: Options,
        console: Console,
        settings: Settings,
        *,
        batch: bool,
    ) -> None:
        self.left = False  # by the user
        self._line = line
        self._options = options
        self._console = console
        self._settings = settings
        self._batch = batch
        self._shown_by: Jvms | None = None  # the prompt, while it is there
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    async def run(self, summary: Summary | None, profiles: list[Profile]) -> int:
        """Run it to its end; return its exit status, as a shell has it. ``profiles`` gets those of its JVMs."""
        line = self._line
        command = BuildCommand(
            line.command,
            at=line.at,
            only=line.only,
            never=line.never,
            stdin="none" if not self._batch or sys.stdin is None or sys.stdin.isatty() else "inherit",
            stdout=sys.stderr.fileno() if line.json else None,
            terminal=not self._batch,
            record=line.recorded,
            profile=line.profile,
        )
        async with open_build(command, self._options, self._console.say, self._written) as build:
            if summary is not None:
                await pass_failures(build, summary.add, directory=line.snapshots, masks=line.masks)
            elif (jvms := await self._first(build)) is not None:
                await self._debug(build, jvms)
            await build.ended.wait()
            if build.profiles is not None:
                profiles += await build.profiles.read()
            for name in sorted(build.left_out):
                self._console.say(f"exceptions of {name} were looked at no more after the first: it threw very many")
        for method, why in build.not_recorded.items():
            self._console.say(f"no call of {method} was recorded: {why}")
        if build.status and line.at == "failure" and not self.left and not any(jvm.announced for jvm in build.jvms):
            self._console.say(f"{os.path.basename(line.command[0])} failed, but {_none_failed(build)}")
        return _status(build.status)

    def _written(self, data: bytes) -> None:
        """The command has written: above the prompt it is lines, else what it is."""
        if self._shown_by is not None:
            self._shown_by.show_output(self._decoder.decode(data))
        else:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    async def _first(self, build: Build) -> Jvms | None:
        jvm = await build.next_jvm()
        if jvm is None:
            return None
        jvms = Jvms()
        jvms.expecting = True
        jvms.take(jvm.name, jvm.session)
        return jvms

    async def _debug(self, build: Build, jvms: Jvms) -> None:
        """Debug until the command ends, or the user leaves."""

        def quit_() -> str:
            build.end()
            self.left = True
            return f"{os.path.basename(self._line.command[0])} is ended"

        def detach() -> str:
            build.leave()
            self.left = True
            return f"{os.path.basename(self._line.command[0])} runs on without the debugger"

        jvms.on_quit, jvms.on_detach = quit_, detach
        async with open_nursery() as nursery:
            nursery.start_soon(self._join_others, build, jvms)
            if self._batch:
                batch = BuildBatch(jvms, self._console, self._settings, self._line)
                await batch.run(ScriptLines(()))
            else:
                await self._talk(jvms)
            nursery.cancel_scope.cancel()
        self.left = self.left or build.status is None
        build.leave()

    async def _join_others(self, build: Build, jvms: Jvms) -> None:
        while (jvm := await build.next_jvm()) is not None:
            for ended in [each for each in jvms.members if not each.lives and each is not jvms.current]:
                await jvms.remove(ended)
            if self.left or jvms.leaving:
                return
            jvms.take(jvm.name, jvm.session)
        jvms.expect_no_more()

    async def _talk(self, jvms: Jvms) -> None:
        from jdbpy.cli.repl.loop import init_lines, load_configured_plugins, run_repl

        remarks = await load_configured_plugins()
        before, remark = init_lines()
        said = "'cont' goes on to the next failure, 'quit' ends the command, 'detach' lets it run on.\n"
        if self._line.recorded:
            said += "'recorded' lists the calls that were recorded.\n"
        self._shown_by = jvms
        try:
            await run_repl(
                jvms.current.session,
                self._settings,
                before=before,
                lines=ScriptLines(self._line.scripts).at_hand(),
                greeting=said + remarks + remark,
                jvms=jvms,
            )
        finally:
            self._shown_by = None


class BuildBatch(Batch):
    """Runs its lines at each failure, and lets the JVM run on behind the last one. Without any it shows the stack, out
    to the test, and the variables.
    """

    def __init__(self, jvms: Jvms, console: Console, settings: Settings, line: CommandLine) -> None:
        super().__init__(
            jvms.current.session, console, settings, timeout=line.timeout, keep_going=line.keep_going, jvms=jvms
        )
        self._scripts = line.scripts
        self._pending: list[str] = []
        self._begun = False

    async def start(self) -> None:
        """The first failure is waited for like the others."""

    async def next_line(self) -> str | None:
        """Return the next line for the failure at which something stands; behind the last one, wait for the next."""
        if not self._pending:
            try:
                if self.session.state is VmState.STOPPED and self._begun:
                    await self.session.execution.resume_if_stopped()
                stop = await self.next_stop()
            except (Disconnected, StateError):
                return None
            self._begun = True
            self._pending = list(ScriptLines(self._scripts).at_hand()) or _shown_at(stop)
        await self.before_line()
        return self._pending.pop(0)


def _none_failed(build: Build) -> str:
    """Return in words that no test has failed, as far as that was seen."""
    ran = sum(jvm.loaded.is_set() for jvm in build.jvms)
    return f"no test in {count(ran, 'JVM')} with tests did" if ran else "no JVM that was debugged has run tests"


def _shown_at(stop: Stopped | Exited) -> list[str]:
    test = stop.test if isinstance(stop, Stopped) else None
    return ["where" if test is None else f"where -n {test.depth}", "locals"]


def _status(status: int | None) -> int:
    """Return an exit status as a shell has it: 128 and its number for a signal."""
    if status is None:
        return 1
    return status if status >= 0 else 128 - status
