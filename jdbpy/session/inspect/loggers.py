"""The component ``session.loggers``: the loggers of a target and their levels, by framework and class loader."""

from __future__ import annotations

from collections.abc import Mapping

from jdbpy.errors import JdbpyError, StateError, Thrown, UsageError
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCalls
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.log_frameworks import (
    ROOT,
    FoundContext,
    FoundLogger,
    JavaLogging,
    LoaderClasses,
    Log4j,
    Logback,
)
from jdbpy.session.java.class_names import like
from jdbpy.session.model.operating import LogContext, LogLevel, LogLevelsSet

INHERITED = ("inherited", "inherit", "null", "unset")
"""Words for no level of its own."""


class LoggerReader:
    """The loggers of one target. Runs methods of the frameworks: StateError when none can be run."""

    def __init__(self, target: Target, runner: CallRunner) -> None:
        self._target = target
        self._runner = runner
        self._names: tuple[str, ...] = ()

    async def contexts(self, pattern: str = "") -> tuple[LogContext, ...]:
        """Return the contexts with the loggers that a pattern fits (``java.class_names.like``); without one those
        that have a level of their own. wire: 20 trips or so for each context."""
        async with self._runner.calls("listing loggers") as calls:
            found = await self._every(calls)
            self._names = ()
            return tuple([await self._read(calls, n, each, pattern) for n, each in enumerate(found, 1)])

    async def set(self, name: str, level: str, *, context: int = 0) -> LogLevelsSet:
        """Set the level of a logger, in all contexts that have it, or in the one of that number; "inherited" takes its
        own level away.

        A logger that no context has is made in the only one of Logback or Log4j. Raises UsageError for a level that
        the framework does not know, and where it must be said in which context. wire: 40 trips or so.
        """
        name = ROOT if name.lower() == ROOT or not name else name
        async with self._runner.calls("setting the level of a logger") as calls:
            found = dict(enumerate(await self._every(calls), 1))
            if context and context not in found:
                raise UsageError(f"no context {context}", hint="'logger' numbers them", code="NO_SUCH_CONTEXT")
            chosen = {context: found[context]} if context else await self._having(calls, found, name)
            for each in chosen.values():
                word = level.upper()
                own = None if level.lower() in INHERITED else each.framework.words.get(word, word)
                await each.framework.set(calls, each, name, own)
            after = [await self._read(calls, n, each, name, exact=True) for n, each in chosen.items()]
        return LogLevelsSet(name, tuple(after))

    def known_names(self) -> tuple[str, ...]:
        """Return the names of loggers that were listed last; for completion. No trip."""
        return self._names

    async def _every(self, calls: UtilityCalls) -> list[FoundContext]:
        classes = LoaderClasses(self._target)
        frameworks: list[Logback | Log4j | JavaLogging] = [Logback(classes), Log4j(classes), JavaLogging(classes)]
        loaded = await classes.all(*(each.by for each in frameworks))
        found: dict[int, FoundContext] = {}
        for framework in frameworks:
            for type_ in loaded[framework.by]:
                try:
                    contexts = await framework.contexts(calls, type_)
                except (Thrown, StateError):  # a framework that has not come up, or is none that we know
                    continue
                for each in contexts:
                    found.setdefault(each.obj.id, each)
        if not found:
            raise StateError(
                "no logging framework is in use: neither Logback nor Log4j 2 nor java.util.logging is loaded",
                code="NOT_AVAILABLE",
            )
        names = await classes.applications(calls, [each.loader_id for each in found.values()])
        return [each.replace(name=each.name or names.get(each.loader_id, "")) for each in found.values()]

    async def _having(
        self, calls: UtilityCalls, found: Mapping[int, FoundContext], name: str
    ) -> dict[int, FoundContext]:
        """Return the contexts that have a logger of that name, else the only one that can be given one."""
        having = {
            number: each
            for number, each in found.items()
            if any(one.name == name for one in await each.framework.loggers(calls, each, lambda _: False))
        }
        able = {number: each for number, each in found.items() if not isinstance(each.framework, JavaLogging)}
        if not having and len(able) != 1:
            where = "several contexts could be given one" if able else "java.util.logging forgets what nobody holds"
            hint = "'logger -c N NAME LEVEL' says in which; 'logger' numbers them" if able else "'logger' lists them"
            raise UsageError(f"no logger {name}, and {where}", hint=hint, code="NO_SUCH_LOGGER")
        return having or able

    async def _read(
        self, calls: UtilityCalls, number: int, of: FoundContext, pattern: str, *, exact: bool = False
    ) -> LogContext:
        def wanted(name: str) -> bool:
            return name == pattern if exact else bool(pattern) and like(pattern, name)

        try:
            found: list[FoundLogger] = await of.framework.loggers(calls, of, wanted)
        except JdbpyError as error:
            error.message = f"{of.framework.name}: {error.message}"
            raise
        self._names += tuple(each.name for each in found)
        shown = [each for each in found if (wanted(each.name) if pattern else each.level is not None)]
        shown.sort(key=lambda each: (each.name != ROOT, each.name))
        levels = tuple(LogLevel(each.name, each.level, each.effective) for each in shown)
        return LogContext(number, of.framework.name, of.name, of.loader, len(found), levels)
