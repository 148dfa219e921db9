"""Functions and lines of the user's Python, run beside a session of the command line.

An ``async def`` function runs in the session's loop, with objects of ``jdbpy.api``; a plain one in a thread of its own,
with those of ``jdbpy.sync``, so that it may wait and compute as it likes. When its command is interrupted, so is it:
what it waits for ends with KeyboardInterrupt, and so does what it computes.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import JdbpyError, PluginError, StateError
from jdbpy.plugins import LOADED, NAMES
from jdbpy.plugins.declare import HookDeclaration
from jdbpy.plugins.loading import GIVEN, Plugin, faults_of, load, parameters
from jdbpy.plugins.printing import printing
from jdbpy.record import Record
from jdbpy.session.concurrency import ThreadCall
from jdbpy.session.model import events

if TYPE_CHECKING:
    from jdbpy.api.vm import Vm
    from jdbpy.session.session import Session
    from jdbpy.sync.portal import Portal

CLEANING_UP = 2.0
"""Seconds that an interrupted function may still take, for what it does in ``finally``; then it is left alone."""

ENDING = 10.0
"""Seconds that hooks may still take when the session has ended."""

_MOST_WAITING = 1_000
"""Events that wait for a slow hook; later ones are dropped, and a warning says so."""


class Evaluated(Record):
    """The value of the user's code: its type, how Python shows it, as plain data for JSON, and for a person to read."""

    type: str
    text: str
    value: Any
    readable: Any


class PythonRunner:
    """Runs the user's Python in one session. ``show`` is given the lines that it prints, in the session's thread."""

    def __init__(self, session: Session, nursery: trio.Nursery, show: Callable[[str], object]) -> None:
        self.show = show
        self.used = False
        """True once it has run anything: events of the target may have been answered beside the front end."""
        self._session = session
        self._nursery = nursery
        self._token = trio.lowlevel.current_trio_token()
        self._hooked: set[str] = set()  # files whose views and hooks are at work in this session
        self._busy: set[int] = set()  # threads of the target at whose stop a hook is at work
        self._passed: list[events.Stopped] = []  # stops that such a hook has brought about
        self._send: trio.MemorySendChannel[tuple[str, Any]] | None = None
        self._delivered = trio.Event()
        self._dropped = False

    @cached_property
    def vm(self) -> Vm:
        """Return the target as an object of ``jdbpy.api``. No trip."""
        from jdbpy.api.vm import Vm

        return Vm(self._session, self._nursery)

    @cached_property
    def _portal(self) -> Portal:
        import jdbpy.sync  # noqa: F401  (its classes are registered)
        from jdbpy.sync.portal import Portal

        return Portal.within(self._nursery)

    # -- calls -------------------------------------------------------------------------------------------------------

    async def call(
        self,
        function: Callable[..., Any],
        values: Sequence[Any] = (),
        keywords: Mapping[str, Any] | None = None,
        of: Mapping[str, Any] | None = None,
        *,
        name: str = "plug-in",
    ) -> Any:
        """Call a function of a plug-in with arguments, and with ``vm``, ``stop``, ``frame``, ``thread`` where it has
        such parameters; ``of`` are values for other ones. Return what it returns; of a generator, a list.

        Raises PluginError for what it raises that is no JdbpyError, StateError when it needs a stop and there is none.
        """
        self.used = True
        given = dict(of or {})
        for each, parameter in inspect.signature(function).parameters.items():
            if each in GIVEN and each not in given:
                try:
                    given[each] = await self._given(each)
                except StateError:
                    if parameter.default is parameter.empty:
                        raise
        code = getattr(inspect.unwrap(function), "__code__", None)
        with faults_of(name, code.co_filename if code is not None else ""):
            if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
                arguments, named = _arranged(function, values, keywords or {}, given)
                with printing(self.show):
                    made = function(*arguments, **named)
                    found = [each async for each in made] if inspect.isasyncgen(made) else await made
                    return await found if inspect.isawaitable(found) else found  # `return vm.threads`
            arguments, named = _arranged(function, values, keywords or {}, self._wrapped(given))
            return await self.in_thread(lambda: _whole(function(*arguments, **named)))

    async def run(self, source: str) -> Evaluated | None:
        """Run lines of Python with the names of the prompt; return the value of the last one, if it is an expression.

        Raises PluginError for what they raise that is no JdbpyError.
        """
        self.used = True
        file = f"<py {next(_numbers)}>"
        name = "py" if "\n" in source else ""
        names = NAMES
        with faults_of(name, file):
            code, last = _compiled(source, file)
        names.update(self._wrapped(await self._all_given()))
        self._prepare(names)

        def work() -> Evaluated | None:
            exec(code, names)
            if last is None:
                return None
            value = eval(last, names)
            if value is None:
                return None
            names["_"] = value
            return evaluated(value)

        with faults_of(name, file):
            found: Evaluated | None = await self.in_thread(work)
        return found

    def _prepare(self, names: dict[str, Any]) -> None:
        if "jdbpy" not in names:
            import jdbpy.sync

            names["jdbpy"] = jdbpy.sync
            names["help"] = _help

    async def _all_given(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in GIVEN:
            try:
                found[name] = await self._given(name)
            except JdbpyError as error:
                found[name] = Missing(name, error)
        return found

    async def _given(self, name: str) -> Any:
        """Return the object for a parameter of that name. Raises StateError where there is none. wire: 1 trip for a
        frame."""
        from jdbpy.api.vm import frame_of, stop_of, thread_of
        from jdbpy.session.model.threads import ThreadRef

        if name == "vm":
            return self.vm
        if name == "frame":
            return frame_of(self.vm, await self._session.stack.selected())
        if name == "thread":
            selected = self._session.selection[0]
            if selected is None:
                raise StateError("no thread is selected", hint="there is one at each stop", code="NO_THREAD")
            return thread_of(self.vm, ThreadRef(selected, self._session.selected_thread_name))
        last = self._session.last_stop
        if self._session.snapshot_info is not None:
            hint = "'thread' and 'frame' are those of the moment at which it was taken"
            raise StateError("a snapshot has no stop", hint=hint, code="NOT_STOPPED")
        if self._session.ending is not None:
            raise StateError("the target has ended", code="NOT_STOPPED")
        if last is None or not self._session.is_current(last):
            raise StateError("no stop: no thread stands at an event", code="NOT_STOPPED")
        return stop_of(self.vm, last)

    def _wrapped(self, given: Mapping[str, Any]) -> dict[str, Any]:
        from jdbpy.sync.portal import wrap

        return {name: wrap(self._portal, value) for name, value in given.items()}

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        """Return what ``work`` gives in another thread, in which it can be interrupted by cancelling this."""
        ended = trio.Event()

        def printed() -> Any:
            with printing(lambda text: self._token.run_sync_soon(self.show, text)):
                return work()

        def at_end(thread: int) -> None:
            _raise_in(thread, None)
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(ended.set)

        def interrupt(thread: int) -> None:
            if not self._portal.interrupt(thread):
                _raise_in(thread, KeyboardInterrupt)

        call = ThreadCall(printed, at_end)
        try:
            return await trio.to_thread.run_sync(call.run, abandon_on_cancel=True)
        except trio.Cancelled:
            if call.cancel(interrupt):
                with trio.CancelScope(shield=True), trio.move_on_after(CLEANING_UP):
                    await ended.wait()
            raise

    # -- plug-ins ----------------------------------------------------------------------------------------------------

    async def load(self, path: str, content: bytes | None = None) -> Plugin:
        """Load a file, or what it is known to hold. Raises UsageError, PluginError."""
        plugin: Plugin = await self.in_thread(lambda: load(path, content))
        return plugin

    async def install(self, plugin: Plugin) -> None:
        """Let the views and hooks of a plug-in work in this session; those of an earlier state of the file no more."""
        views = self._session.values.views if plugin.views else None
        for view in plugin.views:
            for pattern in view.patterns:
                assert views is not None
                views.add(pattern, view.function)
        if plugin.hooks and self._send is None:
            self.used = True
            send, receive = trio.open_memory_channel[tuple[str, Any]](_MOST_WAITING)
            self._send = send
            self._session.listen(self._on_event)
            self._nursery.start_soon(self._deliver, receive)
        for hook in plugin.hooks:
            if "connected" in hook.events:
                await self._call_hook(plugin, hook, {"event": self._session.info})

    async def at_stop(self, stop: events.Stopped) -> bool:
        """Call the hooks of a stop; True if one of them has let the target run on."""
        hooks = list(self._hooks("stop"))
        if any(each is stop for each in self._passed):
            self._passed = [each for each in self._passed if each is not stop]
            return not self._session.is_current(stop)
        thread = stop.thread.id if stop.thread is not None else 0
        if not hooks or thread in self._busy:
            return False
        self._busy.add(thread)
        try:
            from jdbpy.api.vm import stop_of

            shown = stop_of(self.vm, stop)
            given: dict[str, Any] = {"stop": shown, "event": stop}
            if stop.thread is not None:
                given["thread"] = shown.thread
            if stop.frame is not None:
                given["frame"] = shown.frame
            for plugin, hook in hooks:
                if not self._session.is_current(stop):
                    break
                await self._call_hook(plugin, hook, given)
        finally:
            self._busy.discard(thread)
        return not self._session.is_current(stop)

    def _on_event(self, event: events.Event) -> None:
        name = _EVENT_NAMES.get(type(event), "")
        if isinstance(event, events.Stopped):
            if event.thread is not None and event.thread.id in self._busy:
                self._passed.append(event)
            return
        if isinstance(event, events.Notice):
            if any(key == "plugin" for key, _ in event.data):
                return
            name = "hit" if event.report is not None else "notice"
        if self._send is None or not name or next(self._hooks(name), None) is None:
            return
        try:
            self._send.send_nowait((name, event))
        except trio.WouldBlock:
            if not self._dropped:
                self._dropped = True
                self._warn("hooks are too slow: events are dropped", "")
        except trio.BrokenResourceError:
            pass

    async def _deliver(self, receive: trio.MemoryReceiveChannel[tuple[str, Any]]) -> None:
        async for name, event in receive:
            for plugin, hook in list(self._hooks(name)):
                given: dict[str, Any] = {"event": event}
                if name == "hit":
                    from jdbpy.api.vm import reported

                    given["hit"] = reported(self.vm, event.report)
                await self._call_hook(plugin, hook, given)
        self._delivered.set()

    async def finish(self) -> None:
        """Let hooks have the events that are there; none is called any more."""
        if self._send is not None:
            self._send.close()
            with trio.move_on_after(ENDING):
                await self._delivered.wait()

    def _hooks(self, event: str) -> Any:
        for plugin in LOADED.values():
            for hook in plugin.hooks:
                if event in hook.events:
                    yield plugin, hook

    async def _call_hook(self, plugin: Plugin, hook: HookDeclaration, given: Mapping[str, Any]) -> None:
        wanted = parameters(hook.function)
        try:
            await self.call(hook.function, of={name: given[name] for name in wanted if name in given}, name=plugin.name)
        except JdbpyError as error:
            where = "" if isinstance(error, PluginError) else f"{plugin.name}, {hook.function.__name__}: "
            self._warn(f"a hook failed: {where}{error.message}", plugin.name)

    def _warn(self, text: str, plugin: str) -> None:
        self._session.publish(events.Notice("warning", text, (("plugin", plugin),)))


_numbers = count(1)

_EVENT_NAMES: dict[type, str] = {
    events.Output: "output",
    events.Exited: "exited",
    events.VMDisconnected: "disconnected",
}


class Missing:
    """In place of ``stop``, ``frame`` or ``thread`` of ``py`` where there is none: each use raises the reason."""

    def __init__(self, name: str, why: JdbpyError) -> None:
        self._name = name
        self._why = why

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise StateError(f"no {self._name}: {self._why.message}", hint=self._why.hint, code=self._why.code)

    def __getitem__(self, key: object) -> Any:
        return self.__getattr__(str(key).lstrip("_") or "value")

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<no {self._name}: {self._why.message}>"


def evaluated(value: Any) -> Evaluated:
    """Return a value of Python in words and as plain data. It may ask the target, so it is called in the user's
    thread."""
    return Evaluated(type(value).__name__, repr(value), plain(value), plain(value, readable=True))


def plain(value: Any, depth: int = 20, *, readable: bool = False) -> Any:
    """Return a value as JSON can have it: records and objects of the API by their ``to_dict``, all else that is no
    number, text, list or dict by its text. ``readable``: such objects by their text as well."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, Decimal | Missing) or depth == 0:
        return str(value)
    for name in ("to_dicts",) if readable else ("to_dicts", "to_dict"):
        make = getattr(value, name, None)
        if callable(make) and not isinstance(value, type):
            with suppress(TypeError):
                return plain(make(), depth - 1, readable=readable)
    if isinstance(value, Mapping):
        return {str(key): plain(each, depth - 1, readable=readable) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each, depth - 1, readable=readable) for each in value]
    return str(value)


def _arranged(
    function: Callable[..., Any], values: Sequence[Any], keywords: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call, of which some are ``given`` by name and the others are ``values`` in their
    order."""
    waiting = list(values)
    arguments: list[Any] = []
    named = dict(keywords)
    by_name = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            arguments += waiting
            waiting = []
        elif parameter.kind is parameter.KEYWORD_ONLY or by_name:
            if name in given:
                named[name] = given[name]
        elif parameter.kind is not parameter.VAR_KEYWORD:
            if name in given:
                arguments.append(given[name])
            elif waiting and name not in GIVEN:
                arguments.append(waiting.pop(0))
            else:
                by_name = True  # its default is meant, and that of all behind it
    return arguments, named


def _whole(made: Any) -> Any:
    return list(made) if inspect.isgenerator(made) else made


def _compiled(source: str, file: str) -> tuple[Any, Any]:
    """Return the code of lines, and that of the expression at their end, None if there is none. Raises SyntaxError."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    tree = ast.parse(source, file)
    last = None
    if tree.body and isinstance(ending := tree.body[-1], ast.Expr):
        tree.body.pop()
        last = compile(ast.Expression(ending.value), file, "eval")
    return compile(tree, file, "exec"), last


def _help(value: Any) -> None:
    """Print the documentation of an object."""
    import pydoc

    print(pydoc.plain(pydoc.render_doc(value)))  # noqa: T201


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread that computes, as soon as it runs Python; None: not any more."""
    if sys.implementation.name == "cpython":
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(error) if error is not None else None
        )
