"""From a command line to a session, and back to an exit status.

Owns the choice between a batch and the prompt, and what signals do where there is no prompt. The session belongs to
``jdbpy.attach_session`` and its fellows: whatever happens here, they leave the target as they promise.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, TextIO

import trio

import jdbpy
from jdbpy import (
    ConnectError,
    Disconnected,
    JdbpyError,
    LeaveError,
    Options,
    PluginError,
    Session,
    TimedOut,
    UsageError,
    garbage,
    snapshots,
)
from jdbpy.cli.cmdline import CommandLine
from jdbpy.cli.console import Console
from jdbpy.cli.interpreter import Refusal
from jdbpy.cli.jvms import FIRST_PAUSE, LONGEST_PAUSE, Jvms, remote_notice, without_name
from jdbpy.cli.output.choice import choose_renderer, plain_renderer
from jdbpy.cli.restarting import Restarts
from jdbpy.cli.settings import Settings
from jdbpy.cli.taken import with_way_in
from jdbpy.escape import escape
from jdbpy.process.scripts import STDIN, Script, ScriptLines
from jdbpy.process.signals import ended_by_signals
from jdbpy.process.standard import one_loss
from jdbpy.process.statuses import NO_CONNECTION, USAGE, status_of
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.demo.tour import Guide


_NO_INPUT = "The program reads nothing: --stdin FILE gives it a file, --tty DEVICE a terminal (jdbpy launch --help)."

_AT_ONCE = 0.005
"""Seconds in which a target has answered that is not far away."""


async def run(line: CommandLine) -> int:
    """Connects, debugs, and returns the exit status: 128 and its number when a signal ended it.

    The prompt takes signals for itself while it is there. Raises OutputLost once the target is left.
    """
    settings = Settings()
    settings.set("color", line.color)
    settings.on_screen = line.screen
    if line.hold:
        settings.set("hold", line.hold)
    if is_batch(line) and (line.action != "demo" or line.scripts):
        settings.set("hints", "off")  # these are for newcomers at the prompt
    if line.max_suspend is not None:
        settings.set("max-suspend", f"{line.max_suspend:g}")
    console = _console(line, settings)
    status = 0
    batches: list[Jvms] = []

    def observation_ends() -> bool:
        for jvms in batches:
            jvms.ends_early = jvms.end_observing()
        return any(jvms.ends_early for jvms in batches)

    with one_loss():
        async with ended_by_signals(observation_ends) as ended_by, open_nursery() as nursery:
            ahead = _LoadedAhead()
            if not is_batch(line) and line.action != "test":  # there it may never be needed
                nursery.start_soon(ahead.run)
            opening = partial(open_session, line, console)
            limit = line.timeout if is_batch(line) else float("inf")
            several = Jvms(nursery, opening, automatic=line.reconnect, limit=limit)
            jvms = several if line.action == "attach" else Jvms()
            if is_batch(line):
                batches.append(jvms)
            status = await _debug(line, console, settings, ahead, jvms)
            nursery.cancel_scope.cancel()
    return 128 + ended_by[0] if ended_by else status


def is_batch(line: CommandLine) -> bool:
    """True if there is no prompt: asked for, or standard input is no terminal, or JSON is wanted."""
    played = line.action == "replay" and not line.scripts and not line.screen
    if line.action == "test" and line.snapshots:
        return True
    return line.batch or line.json or played or not _is_terminal(sys.stdin)


def _check_screen(line: CommandLine) -> None:
    """Raises UsageError if the full screen was asked for where there cannot be one."""
    if line.screen:
        from jdbpy.cli.repl.terminal import can_edit

        if is_batch(line) or not can_edit(sys.stdin, sys.stdout):
            raise UsageError("--screen needs a terminal that knows escape codes, and is not for a batch")


class _LoadedAhead:
    """Loads what the prompt needs, in a thread, while the target is waited for: that time goes by unused.

    Not for a target that answers at once: there the thread would only stand in the way.
    """

    def __init__(self) -> None:
        self._connected = trio.Event()
        self._loaded = trio.Event()

    async def run(self) -> None:
        with trio.move_on_after(_AT_ONCE):
            await self._connected.wait()
        if not self._connected.is_set():
            await trio.to_thread.run_sync(_load_prompt)
        self._loaded.set()

    async def done(self) -> None:
        """There is a target. Waits until loading has ended, if it goes on."""
        self._connected.set()
        await self._loaded.wait()


def _load_prompt() -> None:
    from jdbpy.cli.repl import loop

    loop.load()


async def _debug(line: CommandLine, console: Console, settings: Settings, ahead: _LoadedAhead, jvms: Jvms) -> int:
    """Open the session and work in it; errors of the way there become their exit status."""
    name = f"{line.action} {' '.join(line.addresses)}{line.file}".strip()
    limit = line.timeout if line.action == "listen" and is_batch(line) else float("inf")
    status = 0
    try:
        _check_screen(line)
        lines = ScriptLines(scripts_of(line))
        if line.plugins:
            from jdbpy.cli.plugin_commands import load_plugins

            await load_plugins(line.plugins, console.printed)
        if line.action == "test":
            from jdbpy.cli.failing_tests import run_tests

            return await run_tests(line, _options(line), console, settings, batch=is_batch(line))
        addresses = await _expanded(line)
        if len(addresses) > 1:
            return await _debug_several(line, addresses, jvms, console, settings, lines, ahead)
        restarts = _restarts(line)
        guide = _guide(line)
        with trio.CancelScope(deadline=trio.current_time() + limit) as waiting:
            while True:
                again = restarts is not None and restarts.kept is not None
                async with AsyncExitStack() as stack:
                    opening = partial(open_session, line, console, *map(without_name, line.addresses))
                    if again and line.action == "attach":
                        session = await _open_again(stack, opening, line, console)
                    else:
                        session = await stack.enter_async_context(opening())
                    waiting.deadline = float("inf")
                    if not is_batch(line):
                        await ahead.done()
                    garbage.loaded()
                    jvms.begin(session, "".join(line.addresses), restarts)
                    ended = await _work(line, jvms, console, settings, lines, again=again, guide=guide)
                    came_back = restarts is not None and restarts.attaches and restarts.kept is not None
                    if is_batch(line) or not came_back:  # a person has seen it
                        status = status or ended
                    await jvms.close()
                if restarts is None or restarts.kept is None:
                    return status
        raise TimedOut(f"no JVM connected within {limit:g} seconds", hint="--timeout SECONDS waits longer")
    except JdbpyError as error:
        console.failure(name, await with_way_in(error))
        if isinstance(error, ConnectError):
            return NO_CONNECTION
        if isinstance(error, UsageError | PluginError):
            return USAGE
        return status or status_of(error)
    except BaseException as error:
        for note in getattr(error, "__notes__", ()):  # that it is not certain that the target runs
            console.failure(name, LeaveError(note))
        raise


async def _expanded(line: CommandLine) -> tuple[tuple[str, str], ...]:
    """Return the addresses to attach to, each with the selector of Kubernetes that has given it and others, or ""."""
    found: list[tuple[str, str]] = []
    for text in line.addresses:
        if "?" in text and line.action == "attach":
            pods = await jdbpy.expand_address(text)
            found += [(pod, text) for pod in pods]
        else:
            found.append((text, ""))
    if len(found) == 1:  # what a selector means is asked again at each attempt
        return ((line.addresses[0], ""),)
    return tuple(found)


async def _debug_several(
    line: CommandLine,
    addresses: tuple[tuple[str, str], ...],
    jvms: Jvms,
    console: Console,
    settings: Settings,
    lines: ScriptLines,
    ahead: _LoadedAhead,
) -> int:
    """Attach to several JVMs side by side and work in them; those that cannot be had are named.

    The exit status is that of no connection when one could not be had and nothing worse has happened.
    """
    missing: list[str] = []

    def failed(name: str, error: JdbpyError) -> None:
        missing.append(name)
        console.failure(f"attach {name}", error)

    try:
        await jvms.open_all(addresses, failed)
        if not jvms.members:
            return NO_CONNECTION
        if not is_batch(line):
            await ahead.done()
        garbage.loaded()
        status = await _work(line, jvms, console, settings, lines, again=False)
    finally:
        await jvms.close()
    return status or (NO_CONNECTION if missing else 0)


def _guide(line: CommandLine) -> Guide | None:
    """Return who leads the user through the tour, where it is taken at the prompt."""
    if line.action != "demo" or line.scripts or is_batch(line):
        return None
    from jdbpy.cli.demo import tour_guide

    return tour_guide()


def _restarts(line: CommandLine) -> Restarts | None:
    if line.action == "launch":
        return Restarts(jdbpy.main_class(line.java))
    if line.action == "demo" and not is_batch(line):
        return Restarts()
    if line.action == "attach":
        return Restarts(attaches=True, automatic=line.reconnect)
    if line.action == "listen" and not is_batch(line):
        return Restarts(listens=True)
    return None


async def _open_again(
    stack: AsyncExitStack,
    opening: Callable[[], AbstractAsyncContextManager[Session]],
    line: CommandLine,
    console: Console,
) -> Session:
    """Attach to the target as soon as it is there again, with growing pauses; in a batch within its time limit.

    Raises Disconnected when it does not come back.
    """
    limit = line.timeout if is_batch(line) else float("inf")
    deadline = trio.current_time() + limit
    pause, said = FIRST_PAUSE, ""
    while True:
        try:
            return await stack.enter_async_context(opening())
        except ConnectError as error:
            if trio.current_time() + pause > deadline:
                reason = f"the target did not come back within {limit:g} seconds ({error.message})"
                raise Disconnected(reason, hint="--timeout SECONDS waits longer") from error
            if error.code != said:
                console.say(f"waiting for the target: {error.message}")
            said = error.code
        await trio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def _work(
    line: CommandLine,
    jvms: Jvms,
    console: Console,
    settings: Settings,
    lines: ScriptLines,
    *,
    again: bool,
    guide: Guide | None = None,
) -> int:
    """Debug until one side leaves; ``again``: after a restart, where nothing is said or read twice."""
    session = jvms.current.session
    if is_batch(line):
        from jdbpy.cli.batch import Batch
        from jdbpy.cli.played_batch import PlayedBatch

        played = line.action == "replay" and not line.scripts  # what failed then may fail again
        if played:
            lines = ScriptLines(tuple(Script(command=each) for each in session.recorded_lines))
        keep_going = line.keep_going or played
        refuses: Refusal | None = None
        if played:
            from jdbpy.cli.embedded import refusal_of_recording

            refuses = refusal_of_recording
        kind = PlayedBatch if played else Batch
        batch = kind(
            session,
            console,
            settings,
            timeout=line.timeout,
            keep_going=keep_going,
            refusal=refuses,
            jvms=jvms,
        )
        if line.action == "demo" and not line.scripts:
            from jdbpy.cli.demo import run_tour

            return await run_tour(batch)
        return await batch.run(lines)
    from jdbpy.cli.repl.loop import run_repl

    if guide is not None:
        start, *others = guide.first_lines
        if again:
            guide.begin_again()
        return await run_repl(
            session,
            settings,
            before=(start,),
            lines=() if again else others,
            greeting="" if again else guide.greeting(),
            after=guide.after,
            jvms=jvms,
        )
    from jdbpy.cli.repl.loop import init_lines, load_configured_plugins
    from jdbpy.cli.repl.offers import Offers

    offers = None if jvms.several or line.file else Offers(_kept_as(line, session))
    if again:
        return await run_repl(session, settings, jvms=jvms, offers=offers)
    remarks = await load_configured_plugins()
    before, remark = init_lines(address=session.address if line.action == "attach" else "")
    said = (_greeting_of_several(jvms) if jvms.several else _greeting(session)) + remarks + remark
    if line.action == "launch" and not (line.stdin or line.tty) and settings["hints"]:
        said += f"{_NO_INPUT}\n"
    return await run_repl(
        session, settings, before=before, lines=lines.at_hand(), greeting=said, jvms=jvms, offers=offers
    )


def _kept_as(line: CommandLine, session: Session) -> str:
    """Return the name under which the breakpoints of a target are kept: its address as it was typed, or its main
    class."""
    if line.action == "attach":
        return session.address
    return jdbpy.main_class(line.java) if line.action == "launch" else ""


def _options(line: CommandLine, name: str = "") -> Options:
    return Options(
        source_path=line.source_path,
        wire_log=_own(line.wire_log, name),
        decisions=line.decisions if line.decisions == "-" else _own(line.decisions, name),
        read_only=line.read_only,
        allow_suspend=line.allow_suspend,
        audit=line.audit,
        hold=line.hold,
        max_suspend=line.max_suspend,
        record=_own(line.record, name),
    )


def open_session(
    line: CommandLine, console: Console, address: str = "", name: str = ""
) -> AbstractAsyncContextManager[Session]:
    """Open a session; ``name`` is that of one of several, each of which has files of its own."""
    options = _options(line, name)
    limit = line.timeout if is_batch(line) else float("inf")
    if line.action == "attach":
        return jdbpy.attach_session(address, options=options, timeout=min(limit, jdbpy.CONNECT_LIMIT))
    if line.action == "listen":
        return jdbpy.listen_session(address, options=options, on_listening=console.listening)
    if line.action == "demo":
        from jdbpy.cli.demo import demo_command, demo_options

        return jdbpy.launch_session(
            demo_command(), options=demo_options(options), timeout=min(limit, jdbpy.START_LIMIT)
        )
    if line.action == "replay":
        return jdbpy.replay_session(line.file, options=options)
    if line.action == "open":
        return jdbpy.open_snapshot_session(line.file, options=options)
    reads_lines = any(script.path == STDIN for script in scripts_of(line))
    stdin = line.stdin or ("none" if reads_lines or _is_terminal(sys.stdin) else "inherit")
    command = jdbpy.LaunchCommand(main=line.java, stdin=stdin, tty=line.tty)
    return jdbpy.launch_session(command, options=options, timeout=min(limit, jdbpy.START_LIMIT))


def _own(path: str | None, name: str) -> str | None:
    return f"{path}.{name.replace('/', '-')}" if path and name else path


def scripts_of(line: CommandLine) -> tuple[Script, ...]:
    """Return the scripts that were named; else what standard input says, if it is no terminal and not closed."""
    if line.scripts or line.action in ("demo", "replay", "test") or _is_terminal(sys.stdin) or sys.stdin is None:
        return line.scripts
    return (Script(path=STDIN),)


def _console(line: CommandLine, settings: Settings) -> Console:
    if line.json:
        from jdbpy.cli.output.json_lines import JsonRenderer

        return Console(JsonRenderer(), json=True)
    choose = choose_renderer if is_batch(line) else plain_renderer  # the prompt makes its own when it needs one
    return Console(choose(settings), json=False)


def _greeting(session: Session) -> str:
    info = session.info
    if session.snapshot_info is not None:
        return _of_snapshot(session.snapshot_info, f"{escape(info.name)}, Java {escape(info.version)}")
    verb = "Launched on" if session.launched else f"Attached to {info.address},"
    said = f"{verb} {escape(info.name)}, Java {escape(info.version)}. 'help' lists the commands.\n"
    if session.agent_line:
        said += (
            "It has no debugger agent: threads, stacks, locks, memory, flags and 'jcmd' work.\n"
            f"Breakpoints and variables need it started with\n  {session.agent_line}\n"
        )
    if (remote := remote_notice(session)) is not None:
        said += f"{escape(remote.text)}.\n"
    return said


def _greeting_of_several(jvms: Jvms) -> str:
    said = f"Attached to {len(jvms.members)} JVMs. Commands go to the current one, 'each COMMAND' to all:\n"
    for number, jvm in enumerate(jvms.members, 1):
        info = jvm.session.info
        mark = "=>" if jvm is jvms.current else "  "
        said += f"{mark} {number} {jvm.name}: {escape(info.name)}, Java {escape(info.version)}\n"
        if (remote := remote_notice(jvm.session)) is not None:
            said += f"     {escape(remote.text)}\n"
    return said


def _of_snapshot(info: snapshots.SnapshotInfo, vm: str) -> str:
    from datetime import datetime

    taken = datetime.fromtimestamp(info.taken).astimezone().isoformat(" ", "seconds")
    reason = f", at {escape(info.reason)}" if info.reason else ""
    calls = f"{info.recorded:,} recorded call{'' if info.recorded == 1 else 's'}" if info.recorded else ""
    if info.calls_alone:
        said = f"{calls or 'No recorded call'} of {escape(info.address) or 'a JVM'} ({vm}), kept {taken}. "
        return said + "'recorded' lists them, 'recorded 1' opens one.\n"
    said = f"Snapshot of {escape(info.address)} ({vm}), taken {taken}{reason}: {info.threads} threads, "
    more = "" if info.complete else "; not all objects are in it"
    more = f", {calls}{more}" if calls else more
    return f"{said}{info.objects:,} objects{more}. 'help' lists the commands.\n"


def _is_terminal(stream: TextIO) -> bool:
    """True if a person may sit at the other end; a stream that is closed is none."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False
