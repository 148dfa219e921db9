"""The reader of the panes: reads from the session what they show, in a task beside the prompt, and publishes states.

What comes with a stop is published at once; everything else is requested together, and published as it arrives. While
the target runs nothing is requested but thread names of a local target; at one stop nothing is requested twice unless a
command may have changed it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol

import trio

from jdbpy import BreakpointInfo, FrameInfo, JdbpyError, Session, ThreadInfo, ValueInfo, Variable, VmState
from jdbpy.cli.commands.data import evaluate_displays
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import plain_text
from jdbpy.cli.output.places import line_of, short_place_of, state_of
from jdbpy.cli.output.values import value_line
from jdbpy.cli.screen.recorded_call import RecordedReader
from jdbpy.cli.screen.sources import SourceReader, line_marks, values_at
from jdbpy.cli.screen.state import (
    FrameShown,
    JvmShown,
    PluginPane,
    ScreenState,
    SourceShown,
    ThreadShown,
    WatchShown,
)
from jdbpy.cli.screen.tree import NodeContents, VariableTree
from jdbpy.escape import escape
from jdbpy.task_groups import open_nursery

FRAMES = 200
"""Frames of the stack that are shown."""

SETTLED = 0.05
"""Seconds between updates while the target runs."""

_BEGIN = """\
Nothing to see yet: the thread has no frames.
F5 lets the program run.
':stop in CLASS.METHOD' sets a breakpoint before.
? shows the keys."""

_RUNS = """\
The program runs.
p pauses it.
':stop in CLASS.METHOD' sets a breakpoint.
? shows the keys."""

_ENDED = """\
The program has ended.
':restart' starts one that was launched again, ':reconnect' attaches again.
q leaves."""

_OF_FILE = """\
No JVM runs here: this is what a file has kept, and no thread stood still in it.
':threads' and ':where all' show a snapshot.
':recorded' lists recorded calls, ':recorded 1' opens one.
? shows the keys."""

_CHANGING = frozenset(
    (
        *("set", "print", "p", "eval", "call", "po", "dump", "pp", "py", "redefine", "pop", "reenter", "force-return"),
        *("use", "config", "save", "display", "undisplay", "load", "throw", "suspend", "resume", "kill", "interrupt"),
    )
)
"""Commands after which values may be others at the same stop."""


class ReadJvm(Protocol):
    """One of the JVMs that are debugged."""

    @property
    def name(self) -> str: ...

    @property
    def session(self) -> Session: ...

    @property
    def context(self) -> Context: ...


class ReadJvms(Protocol):
    """The JVMs of the session, and the one that commands go to."""

    @property
    def members(self) -> Sequence[ReadJvm]: ...

    @property
    def current(self) -> ReadJvm: ...

    @property
    def several(self) -> bool: ...


PluginReader = Callable[[Context], Awaitable[tuple[PluginPane, ...]]]


class PaneReader:
    """The reader of one screen. ``poke()`` wakes it; ``run()`` must be running."""

    def __init__(
        self, jvms: ReadJvms, publish: Callable[[ScreenState], object], plugins: PluginReader | None = None
    ) -> None:
        self.state = ScreenState()
        self._jvms = jvms
        self._publish_to = publish
        self._plugins = plugins
        self._news = trio.Event()
        self._reading = trio.CancelScope()
        self._sources = SourceReader()
        self._tree = VariableTree()
        self._recorded = RecordedReader(self._sources)
        self._moment: object = None  # of what was read
        self._read_at: object = None  # of what is being read, or was
        self._listed: object = None
        self._stop: object = None  # that was read last, whatever was selected there
        self._taken: object = None  # the stop that the tree shows
        self._changed = False
        self._opening: list[tuple[str, str]] = []

    def poke(self) -> None:
        """Wake the reader: something may have happened."""
        self._news.set()
        if self._now() != self._read_at:  # what is being read is out of date
            self._reading.cancel()

    def glance(self) -> None:
        """Publish what is known without a request (JVMs, breakpoints), as something was just printed."""
        marks = line_marks(_points(self._jvms.current.session), self.state.source)
        if (_jvms_shown(self._jvms), marks) != (self.state.jvms, self.state.marks):
            self._publish(marks=marks)

    def note_line(self, line: str) -> None:
        """Note that the user runs a line, which may change values."""
        word = line.partition(" ")[0].partition("/")[0].lower()
        if word in _CHANGING or "=" in line or "(" in line:
            self._changed = True

    def open(self, kind: str, path: str) -> None:
        """Open or close a variable, or show more of its elements."""
        self._opening.append((kind, path))
        self._news.set()

    def _now(self) -> object:
        """Return a key that stays equal while nothing has run and the same frame is selected."""
        session, cursor = self._jvms.current.session, self._jvms.current.context.open_call
        if cursor is not None:
            return session, str(session.state), cursor, cursor.step.number
        if session.state is not VmState.STOPPED or session.selection[0] is None:
            return session, str(session.state)
        return session, session.ran, session.last_stop, session.selection

    async def run(self) -> None:
        """Read after each ``poke()``, until cancelled."""
        while True:
            self._news = trio.Event()
            with trio.CancelScope() as self._reading:
                await self._read()
            if not self._news.is_set():
                await self._news.wait()
            if self.state.runs:
                await trio.sleep(SETTLED)

    def _publish(self, **changes: object) -> None:
        session = self._jvms.current.session
        self.state = self.state.replace(
            jvms=_jvms_shown(self._jvms),  # another one may have stopped meanwhile
            lives=session.state.lives,
            file=session.snapshot_info is not None,
            **changes,
        )
        self._publish_to(self.state)

    async def _read(self) -> None:
        jvm = self._jvms.current
        session, ctx, now = jvm.session, jvm.context, self._now()
        self._read_at = now
        again = now == self._moment and not self._changed
        opening, self._opening = self._opening, []
        if ctx.open_call is not None:
            await self._read_recorded(session, ctx, opening)
            self._moment = now
            return
        if self.state.recorded:  # it was closed
            self.state = self.state.replace(recorded="", source=SourceShown(), frames=(), frames_total=0)
        for kind, path in opening:
            {"open": self._tree.opened, "close": self._tree.closed, "more": self._tree.more}[kind](path)
        if session.state is not VmState.STOPPED or session.selection[0] is None:
            await self._read_running(session, ctx)
            self._moment = now
            return
        if again:
            with suppress(JdbpyError):
                await self._read_again(ctx)
            return
        self._changed = False
        try:
            frame = await session.stack.selected()
            await self._read_stop(session, ctx, frame, same_stop=now == self._moment)
            self._moment = now
        except JdbpyError as error:  # it runs again, or has no frame
            self._publish(
                runs=False,
                busy=False,
                thread=escape(session.selected_thread_name),
                source=self.state.source if self.state.source.lines else SourceShown(message=_BEGIN),
                frames=(),
                variables=(),
                variables_note=escape(error.message),
            )
            with suppress(JdbpyError):
                self._publish(threads=_threads_shown(await session.threads.list(), session))

    async def _read_recorded(self, session: Session, ctx: Context, opening: Sequence[tuple[str, str]]) -> None:
        """Show the recorded call that is open. No trip."""
        for kind, path in opening:
            self._recorded.opened(kind, path)
        shown = await self._recorded.read(ctx, ctx.open_call)
        self._publish(**shown, marks=line_marks(_points(session), shown["source"]))

    async def _read_running(self, session: Session, ctx: Context) -> None:
        ended = not session.state.lives
        ctx.seen = None
        note = f"the program has ended ({session.state})" if ended else "the program runs"
        message = _ENDED if ended else _RUNS
        if session.snapshot_info is not None:
            note, message = "no thread stood still", _OF_FILE
        source = self.state.source
        self._publish(
            source=source if source.lines else SourceShown(message=message),
            runs=True,
            busy=False,
            thread="",
            frames=(),
            variables=(),
            variables_note=note,
            marks=line_marks(_points(session), self.state.source),
        )
        if ended:
            self._publish(threads=())
        if not ended and not session.remote:
            with suppress(JdbpyError):
                self._publish(threads=_threads_shown(await session.threads.list(), session))

    async def _read_again(self, ctx: Context) -> None:
        """Read what a command may have changed without resuming, and newly opened nodes."""
        session = ctx.session
        source = self.state.source
        listed = ctx.listed  # a command may set another one, or none, while this reads
        if listed is not None and listed is not self._listed:
            self._listed = listed
            shown = await self._sources.listed(ctx, listed)
            frame = await session.stack.standing()
            middle = listed.first + min(5, (listed.last - listed.first) // 2)
            if shown is not None and shown.key != source.key:
                source = shown.replace(at=middle)
            elif shown is not None and source.current is not None:
                source = source.replace(at=middle)
            if shown is not None and shown.key == source.key and frame.location.line is not None:
                here = await self._sources.at_frame(ctx, frame)
                if here is not None and here.key == source.key:
                    source = source.replace(current=frame.location.line, top=frame.index == 1)
        self._publish(source=source, marks=line_marks(_points(session), source))
        self._take_watches(ctx)
        await self._read_open(session)

    async def _read_stop(self, session: Session, ctx: Context, frame: FrameInfo, *, same_stop: bool) -> None:
        session.stack.will_read(frame)
        source = await self._sources.at_frame(ctx, frame)
        self._listed = ctx.listed
        known = source if source is not None else self.state.source.replace(current=None, values="")
        ctx.seen = {}
        self._publish(
            runs=False,
            busy=True,
            thread=escape(session.selected_thread_name),
            source=known,
            marks=line_marks(_points(session), known),
            frames=self._frames_at_once(frame, session),
            variables_note="",
        )

        async def variables() -> None:
            try:
                found = await session.stack.variables(frame)
            except JdbpyError as error:
                self._publish(variables=(), variables_note=escape(error.message))
                return
            at = frame.location
            place = (f"{at.class_name}.{at.method}{at.signature}", frame.thread.id, frame.height, session)
            stop = session, session.last_stop, session.ran  # read again at one, marks of what has changed stay
            self._tree.take(place, found, same_stop=same_stop or stop == self._taken)
            self._taken = stop
            self._show_variables(found)
            ctx.seen = {**(ctx.seen or {}), **_names_of(found)}
            await self._read_open(session)

        async def stack() -> None:
            trace = await session.stack.of(count=FRAMES)
            if trace.error:  # a recording has the frame and not the stack
                self._publish(frames=(_frame_shown(frame, frame.index), FrameShown(0, f"… {trace.error}", "")))
                return
            rows = tuple(_frame_shown(each, frame.index) for each in trace.frames)
            left = trace.total - len(rows)
            if left > 0:
                rows += (FrameShown(0, f"… {left} more: 'where' shows them", ""),)
            self._publish(frames=rows, frames_total=trace.total)
            ctx.seen = {**(ctx.seen or {}), "frames": trace.total}

        async def threads() -> None:
            found = await session.threads.list()
            self._publish(threads=_threads_shown(found, session))
            groups = sorted({each.group for each in found if each.group})
            named = tuple((each.id, each.name) for each in found)
            ctx.seen = {**(ctx.seen or {}), "threads": named, "thread_groups": tuple(groups)}

        async def without_source() -> None:
            shown = await self._sources.without_source(ctx, frame)
            self._publish(source=shown.replace(top=frame.index == 1), marks=())

        async def plugins() -> None:
            if self._plugins is not None:
                self._publish(plugins=await self._plugins(ctx))

        async def watches() -> None:
            await evaluate_displays(ctx)
            self._take_watches(ctx)

        chosen = self._stop is not None and self._stop == (session, session.last_stop, session.ran)
        self._stop = session, session.last_stop, session.ran
        other_frame = chosen and not same_stop and bool(ctx.displays)  # at a stop the conversation evaluates them
        parts = [
            *([watches] if other_frame else []),
            variables,
            stack,
            threads,
            plugins,
            *([without_source] if source is None else []),
        ]
        async with open_nursery() as nursery:
            for part in parts:
                nursery.start_soon(_alone, part)
        self._take_watches(ctx)
        self._publish(busy=False)

    def _frames_at_once(self, frame: FrameInfo, session: Session) -> tuple[FrameShown, ...]:
        """Return the stack as far as it is known without a request: the callers are those of the stop before."""
        before, state = self.state.frames, self.state
        top = _frame_shown(frame, frame.index)
        if state.thread != escape(session.selected_thread_name) or state.frames_total != len(before):
            return (top,)
        if frame.index > 1:
            return tuple(each.replace(selected=each.index == frame.index) for each in before)
        below = before[len(before) - frame.height :] if frame.height is not None and frame.height else ()
        if frame.height is None or len(below) != frame.height:
            return (top,)
        return (top, *(each.replace(index=index, selected=False) for index, each in enumerate(below, 2)))

    def _show_variables(self, found: Sequence[Variable]) -> None:
        source = self.state.source
        self._publish(variables=self._tree.nodes(), source=source.replace(values=values_at(source, tuple(found))))

    async def _read_open(self, session: Session) -> None:
        """Read the contents of open nodes, level by level. wire: about 3 trips per level."""
        while wanted := self._tree.wanted():
            async with open_nursery() as nursery:
                for path, value, count in wanted:
                    nursery.start_soon(self._read_node, session, path, value, count)
        self._publish(variables=self._tree.nodes())

    async def _read_node(self, session: Session, path: str, value: ValueInfo, count: int) -> None:
        try:
            part = await session.objects.part(value, 0, count) if value.length is not None else None
            if part is not None:
                held = NodeContents(tuple(part.items), part.size)
            else:
                held = NodeContents(tuple(await session.objects.fields(value.id or 0)))
        except JdbpyError as error:
            held = NodeContents(error=error.message)
        self._tree.put(path, held)

    # Watches

    def _take_watches(self, ctx: Context) -> None:
        before = {each.number: each.text for each in self.state.watches}
        found: list[WatchShown] = []
        for number, display in ctx.displays.items():
            item = ctx.displayed.get(number)
            if item is None:
                found.append(WatchShown(number, escape(display.expression), ""))
            elif item.value is None:
                found.append(WatchShown(number, escape(display.expression), escape(item.error), True))
            else:
                text = plain_text(value_line(item.value))
                changed = number in before and before[number] not in ("", text)
                found.append(WatchShown(number, escape(display.expression), text, changed=changed))
        if [each.replace(changed=False) for each in found] != [
            each.replace(changed=False) for each in self.state.watches
        ]:
            self._publish(watches=tuple(found))


async def _alone(part: Callable[[], Awaitable[None]]) -> None:
    """Read one pane: an error in it does not affect the others, and the next stop tries again."""
    with suppress(JdbpyError):
        await part()


def _points(session: Session) -> list[BreakpointInfo]:
    return session.points.list() if session.points_are_used else []


def _names_of(variables: Sequence[Variable]) -> dict[str, object]:
    """Return the variables that completion offers."""
    this = next((each.value for each in variables if each.kind == "this" and each.value is not None), None)
    return {
        "variables": tuple((each.name, each.type) for each in variables),
        "members": tuple(each.name for each in this.children) if this is not None else (),
    }


def _frame_shown(frame: FrameInfo, selected: int) -> FrameShown:
    at = frame.location
    package, _, simple = at.class_name.rpartition(".")
    return FrameShown(
        frame.index,
        escape(f"{simple}.{at.method}"),
        escape(line_of(at)),
        escape(package),
        frame.index == selected,
    )


_OF_THE_VM = frozenset(("system", "InnocuousThreadGroup"))


def _threads_shown(threads: Sequence[ThreadInfo], session: Session) -> tuple[ThreadShown, ...]:
    """Return the threads: the selected one, those stopped by an event, other suspended ones, running ones; the VM's
    own last."""
    selected = session.selection[0]

    def order(thread: ThreadInfo) -> tuple[bool, bool, bool, bool]:
        return thread.group in _OF_THE_VM, thread.id != selected, not thread.at_breakpoint, not thread.suspended

    return tuple(
        ThreadShown(
            each.id,
            escape(each.name),
            escape(state_of(each)),
            each.suspended,
            each.at_breakpoint,
            each.id == selected and session.state is VmState.STOPPED,
        )
        for each in sorted(threads, key=order)
    )


def _jvms_shown(jvms: ReadJvms) -> tuple[JvmShown, ...]:
    found = []
    for jvm in jvms.members if jvms.several else ():
        stop = jvm.session.last_stop if jvm.session.state is VmState.STOPPED else None
        place = escape(short_place_of(stop.location)) if stop is not None and stop.location is not None else ""
        found.append(JvmShown(jvm.name, str(jvm.session.state), place, jvm is jvms.current))
    return tuple(found)
