"""Logback, Log4j 2 and java.util.logging in a target: where each keeps its loggers, and how a level is set.

Owns the names of their classes, methods and fields. Classes are told apart by their class loaders: each of several web
applications may bring a framework of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from jdbpy.errors import JdbpyError, StateError, Thrown, UsageError
from jdbpy.record import Record
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import UtilityCall, UtilityCalls, on
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.loaders import Loaders
from jdbpy.session.jvm.refs import RefType
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ClassLoaderID, ReferenceTypeID

ROOT = "root"
_MOST = 50_000
"""Loggers of a context that are read."""

_WEB_LOADER = "org.apache.catalina.loader.WebappClassLoaderBase"
_TEXT = "()Ljava/lang/String;"
_BY_NAME = "(Ljava/lang/String;)"


class FoundContext(Record):
    """A context that was found: its object, and the class of the framework by which it was, with its loader."""

    framework: Any
    obj: Ref
    type: RefType
    name: str = ""
    loader: str = ""
    loader_id: int = 0


class FoundLogger(Record):
    """A logger of a context: its name, own and effective level, and the object."""

    name: str
    level: str | None
    effective: str
    obj: Raw = None


class LoaderClasses:
    """Classes of the target by name and class loader."""

    def __init__(self, target: Target) -> None:
        self._types = target.types
        self._loaders = Loaders(target.conn, target.types)

    async def all(self, *names: str) -> dict[str, list[RefType]]:
        """Return the loaded classes of these names, one for each loader. wire: 1 trip."""
        wanted = {name: signature_of(name) for name in names}
        found = await self._types.by_signatures(wanted.values())
        return {name: found[signature] for name, signature in wanted.items()}

    async def beside(self, name: str, home: RefType) -> int:
        """Return the class of that name that a class of its framework means: that of its own loader, else the only
        one. Raises StateError when there is none. wire: 2 trips."""
        found = (await self.all(name))[name]
        if len(found) > 1:
            loaders = await self._types.facts.many(facts.LOADER, [home.id, *(each.id for each in found)])
            found = [each for each in found if loaders.get(each.id) == loaders.get(home.id)] or found
        if not found:
            raise StateError(f"{name} is not loaded: this version is laid out otherwise", code="NOT_AVAILABLE")
        return int(found[0].id)

    async def loader_of(self, type_: RefType) -> str:
        """Return the class loader of a class in words. wire: 3 trips, 0 when known."""
        return (await self._loaders.names([type_.id])).get(type_.id, "")

    async def loader_id(self, type_: RefType) -> int:
        """Return the class loader of a class, 0 for the boot loader. wire: 1 trip, 0 when known."""
        return int((await self._types.facts.many(facts.LOADER, [type_.id])).get(type_.id, 0))

    async def applications(self, calls: UtilityCalls, loaders: Sequence[int]) -> dict[int, str]:
        """Return the names of the web applications that class loaders of Tomcat are of. wire: 4 trips."""
        found = (await self.all(_WEB_LOADER))[_WEB_LOADER]
        if not found:
            return {}
        every = [Ref(each, Tag.CLASS_LOADER) for each in dict.fromkeys(loaders) if each]
        wanted = [
            each
            for each, of in zip(every, await calls.classes_of(every), strict=True)
            if of is not None and of.name.startswith(_WEB_LOADER.rpartition(".")[0])
        ]
        named = await calls.outcomes(
            *(on(each, _WEB_LOADER, "getContextName", _TEXT).replace(class_id=int(found[0].id)) for each in wanted)
        )
        texts = await calls.texts([None if isinstance(each, JdbpyError) else each for each in named])
        return {each.id: text for each, text in zip(wanted, texts, strict=True) if text}

    async def in_words(self, loader: Ref) -> str:
        """Return a class loader in words. wire: 2 trips, 0 when known."""
        return (await self._loaders.in_words([ClassLoaderID(loader.id)]))[ClassLoaderID(loader.id)]


async def _made_by(
    calls: UtilityCalls, factory_call: UtilityCall, wanted: str, facade: RefType
) -> tuple[Ref, RefType] | None:
    """Return the object that a facade's method gives, with its class; None if it is of another class than ``wanted``:
    another framework is behind the facade. wire: 2 trips."""
    [made] = await calls.outcomes(factory_call.replace(class_id=int(facade.id)))
    [of] = await calls.classes_of([made]) if isinstance(made, Ref) else [None]
    if not isinstance(made, Ref) or of is None or of.name != wanted:
        return None
    return made, RefType(ReferenceTypeID(of.id), facade.tag, signature_of(of.name))


_JAVA_LEVELS = {
    "SEVERE": "ERROR",
    "WARNING": "WARN",
    "CONFIG": "INFO",
    "FINE": "DEBUG",
    "FINER": "TRACE",
    "FINEST": "TRACE",
}
"""What Logback and Log4j call the levels of java.util.logging."""


class Logback:
    name: ClassVar[str] = "Logback"
    words: ClassVar[Mapping[str, str]] = {"FATAL": "ERROR", **_JAVA_LEVELS}
    levels: ClassVar[str] = "OFF, ERROR, WARN, INFO, DEBUG, TRACE, ALL"
    by: ClassVar[str] = "org.slf4j.LoggerFactory"
    _CONTEXT: ClassVar[str] = "ch.qos.logback.classic.LoggerContext"
    _LOGGER: ClassVar[str] = "ch.qos.logback.classic.Logger"
    _LEVEL: ClassVar[str] = "ch.qos.logback.classic.Level"

    def __init__(self, classes: LoaderClasses) -> None:
        self._classes = classes

    async def contexts(self, calls: UtilityCalls, type_: RefType) -> list[FoundContext]:
        """Return the contexts to which a facade leads: its factory is the context where Logback is behind it."""
        call = UtilityCall(self.by, "getILoggerFactory", "()Lorg/slf4j/ILoggerFactory;")
        if (found := await _made_by(calls, call, self._CONTEXT, type_)) is None:
            return []
        factory, home = found
        loader = await self._classes.loader_of(home)
        return [FoundContext(self, factory, home, loader=loader, loader_id=await self._classes.loader_id(home))]

    async def loggers(self, calls: UtilityCalls, of: FoundContext, wanted: Callable[[str], bool]) -> list[FoundLogger]:
        """Return all loggers by name. wire: 9 trips."""
        [listed] = await calls.all(
            on(of.obj, self._CONTEXT, "getLoggerList", "()Ljava/util/List;").replace(class_id=int(of.type.id))
        )
        found = [each for each in await calls.elements(listed, _MOST) if isinstance(each, Ref)]
        logger = await self._classes.beside(self._LOGGER, of.type)
        rows = await calls.own_fields(found, logger, "name", "level", "effectiveLevelInt")
        level = await self._classes.beside(self._LEVEL, of.type)
        known = dict.fromkeys(row[1].id for row in rows if isinstance(row[1], Ref))
        told = await calls.own_fields([Ref(each) for each in known], level, "levelStr", "levelInt")
        texts = await calls.texts([*(row[0] for row in rows), *(row[0] for row in told)])
        names, words = texts[: len(rows)], texts[len(rows) :]
        by_id = dict(zip(known, words, strict=True))
        by_number = {row[1]: word for row, word in zip(told, words, strict=True)}
        return [
            FoundLogger(
                ROOT if name == "ROOT" else name or "",
                by_id.get(row[1].id) if isinstance(row[1], Ref) else None,
                by_number.get(row[2]) or str(row[2]),
                each,
            )
            for each, name, row in zip(found, names, rows, strict=True)
        ]

    async def set(self, calls: UtilityCalls, of: FoundContext, name: str, level: str | None) -> None:
        """Set the level of a logger, which is made if there is none. wire: 8 trips."""
        home = await self._classes.beside(self._LEVEL, of.type)
        signature = f"{_BY_NAME[:-1]}L{self._LEVEL.replace('.', '/')};)L{self._LEVEL.replace('.', '/')};"
        made = None
        if level is not None:
            [made] = await calls.all(UtilityCall(self._LEVEL, "toLevel", signature, (level, None), class_id=home))
            if made is None:
                raise _no_level(self, level)
        result = f"{_BY_NAME}L{self._LOGGER.replace('.', '/')};"
        own = "ROOT" if name == ROOT else name
        [logger] = await calls.all(
            on(of.obj, self._CONTEXT, "getLogger", result, own).replace(class_id=int(of.type.id))
        )
        logger_class = await self._classes.beside(self._LOGGER, of.type)
        call = on(logger, self._LOGGER, "setLevel", f"(L{self._LEVEL.replace('.', '/')};)V", made)
        await calls.all(call.replace(class_id=logger_class))


class Log4j:
    name: ClassVar[str] = "Log4j 2"
    words: ClassVar[Mapping[str, str]] = _JAVA_LEVELS
    levels: ClassVar[str] = "OFF, FATAL, ERROR, WARN, INFO, DEBUG, TRACE, ALL"
    by: ClassVar[str] = "org.apache.logging.log4j.LogManager"
    _FACTORY: ClassVar[str] = "org.apache.logging.log4j.core.impl.Log4jContextFactory"
    _CORE: ClassVar[str] = "org.apache.logging.log4j.core."
    _LEVEL: ClassVar[str] = "org.apache.logging.log4j.Level"

    def __init__(self, classes: LoaderClasses) -> None:
        self._classes = classes

    async def contexts(self, calls: UtilityCalls, type_: RefType) -> list[FoundContext]:
        """Return the contexts of the factory that a LogManager has; of a factory of another make there are none."""
        call = UtilityCall(self.by, "getFactory", "()Lorg/apache/logging/log4j/spi/LoggerContextFactory;")
        if (found := await _made_by(calls, call, self._FACTORY, type_)) is None:
            return []
        factory, home = found
        selector = await self._get(
            calls, home, factory, "impl.Log4jContextFactory", "getSelector", "selector.ContextSelector"
        )
        selecting = await self._classes.beside(f"{self._CORE}selector.ContextSelector", home)
        call = on(selector, f"{self._CORE}selector.ContextSelector", "getLoggerContexts", "()Ljava/util/List;")
        [listed] = await calls.all(call.replace(class_id=selecting))
        contexts = [each for each in await calls.elements(listed, _MOST) if isinstance(each, Ref)]
        context = await self._classes.beside(f"{self._CORE}LoggerContext", home)
        names = await calls.texts(
            await calls.all(
                *(
                    on(each, f"{self._CORE}LoggerContext", "getName", _TEXT).replace(class_id=context)
                    for each in contexts
                )
            )
        )
        loader, loader_id = await self._classes.loader_of(home), await self._classes.loader_id(home)
        return [
            FoundContext(self, each, home, name or "", loader, loader_id)
            for each, name in zip(contexts, names, strict=True)
        ]

    async def _get(self, calls: UtilityCalls, home: RefType, obj: Raw, owner: str, name: str, result: str) -> Raw:
        """Run a method of Log4j's core without arguments that gives an object of it."""
        class_id = await self._classes.beside(self._CORE + owner, home)
        signature = f"()L{(self._CORE + result).replace('.', '/')};"
        [found] = await calls.all(on(obj, self._CORE + owner, name, signature).replace(class_id=class_id))
        return found

    async def loggers(self, calls: UtilityCalls, of: FoundContext, wanted: Callable[[str], bool]) -> list[FoundLogger]:
        """Return what is configured, and the loggers that are used. wire: 20 trips."""
        home = of.type
        configuration = await self._get(
            calls, home, of.obj, "LoggerContext", "getConfiguration", "config.Configuration"
        )
        configuring = await self._classes.beside(f"{self._CORE}config.Configuration", home)
        call = on(configuration, f"{self._CORE}config.Configuration", "getLoggers", "()Ljava/util/Map;")
        [table] = await calls.all(call.replace(class_id=configuring))
        [values] = await calls.all(on(table, "java.util.Map", "values", "()Ljava/util/Collection;"))
        configs = [each for each in await calls.elements(values, _MOST) if isinstance(each, Ref)]
        owner = f"{self._CORE}config.LoggerConfig"
        config = await self._classes.beside(owner, home)
        level_of = f"()L{self._LEVEL.replace('.', '/')};"
        answers = await calls.all(
            *(on(each, owner, "getName", _TEXT).replace(class_id=config) for each in configs),
            *(on(each, owner, "getLevel", level_of).replace(class_id=config) for each in configs),
        )
        own = [row[0] for row in await calls.own_fields(configs, config, "level")]
        context = await self._classes.beside(f"{self._CORE}LoggerContext", home)
        call = on(of.obj, f"{self._CORE}LoggerContext", "getLoggers", "()Ljava/util/Collection;")
        [listed] = await calls.all(call.replace(class_id=context))
        used = [each for each in await calls.elements(listed, _MOST) if isinstance(each, Ref)]
        above = await self._classes.beside("org.apache.logging.log4j.spi.AbstractLogger", home)
        rows = await calls.own_fields(used, above, "name")
        texts = await calls.texts([*answers[: len(configs)], *(row[0] for row in rows)])
        named, called = texts[: len(configs)], texts[len(configs) :]
        shown = [(each, name) for each, name in zip(used, called, strict=True) if wanted(name or ROOT)]
        logger = await self._classes.beside(f"{self._CORE}Logger", home)
        counting = await calls.all(
            *(on(each, f"{self._CORE}Logger", "getLevel", level_of).replace(class_id=logger) for each, _ in shown)
        )
        words = await self._words(calls, home, [*answers[len(configs) :], *own, *counting])
        found = {
            name or ROOT: FoundLogger(name or ROOT, words.get(level), words.get(effective, ""), each)
            for each, name, level, effective in zip(configs, named, own, answers[len(configs) :], strict=True)
        }
        levels = {name: words.get(level, "") for (_, name), level in zip(shown, counting, strict=True)}
        for each, name in zip(used, called, strict=True):
            if (name or ROOT) not in found:
                found[name or ROOT] = FoundLogger(name or ROOT, None, levels.get(name, ""), each)
        return list(found.values())

    async def _words(self, calls: UtilityCalls, home: RefType, levels: Sequence[Raw]) -> dict[Raw, str]:
        distinct = list(dict.fromkeys(each for each in levels if isinstance(each, Ref)))
        class_id = await self._classes.beside(self._LEVEL, home)
        texts = await calls.texts(
            await calls.all(*(on(each, self._LEVEL, "name", _TEXT).replace(class_id=class_id) for each in distinct))
        )
        return {each: text or "" for each, text in zip(distinct, texts, strict=True)}

    async def set(self, calls: UtilityCalls, of: FoundContext, name: str, level: str | None) -> None:
        """Set the level in the configuration, where an entry is made if there is none. wire: 16 trips."""
        home = of.type
        level_type = f"L{self._LEVEL.replace('.', '/')};"
        level_class = await self._classes.beside(self._LEVEL, home)
        made = None
        if level is not None:
            call = UtilityCall(self._LEVEL, "getLevel", f"{_BY_NAME}{level_type}", (level,), class_id=level_class)
            [made] = await calls.all(call)
            if made is None:
                raise _no_level(self, level)
        own = "" if name == ROOT else name
        configuration = await self._get(
            calls, home, of.obj, "LoggerContext", "getConfiguration", "config.Configuration"
        )
        owner, holder = f"{self._CORE}config.LoggerConfig", f"{self._CORE}config.Configuration"
        config_class = await self._classes.beside(owner, home)
        holding = await self._classes.beside(holder, home)
        result = f"L{owner.replace('.', '/')};"
        call = on(configuration, holder, "getLoggerConfig", f"{_BY_NAME}{result}", own)
        [config] = await calls.all(call.replace(class_id=holding))
        [named] = await calls.all(on(config, owner, "getName", _TEXT).replace(class_id=config_class))
        if await calls.text(named) == own:
            await calls.all(on(config, owner, "setLevel", f"({level_type})V", made).replace(class_id=config_class))
        elif made is not None:
            text = (await calls.strings([own]))[0]
            signature = f"(Ljava/lang/String;{level_type}Z)V"
            config = await calls.new(owner, signature, text, made, True, class_id=config_class)
            call = on(configuration, holder, "addLogger", f"(Ljava/lang/String;{result})V", text, config)
            await calls.all(call.replace(class_id=holding))
        context = await self._classes.beside(f"{self._CORE}LoggerContext", home)
        await calls.all(on(of.obj, f"{self._CORE}LoggerContext", "updateLoggers", "()V").replace(class_id=context))


class JavaLogging:
    name: ClassVar[str] = "java.util.logging"
    words: ClassVar[Mapping[str, str]] = {
        "FATAL": "SEVERE",
        "ERROR": "SEVERE",
        "WARN": "WARNING",
        "DEBUG": "FINE",
        "TRACE": "FINER",
    }
    levels: ClassVar[str] = "OFF, SEVERE, WARNING, INFO, CONFIG, FINE, FINER, FINEST, ALL"
    by: ClassVar[str] = "java.util.logging.LogManager"
    _LOGGER: ClassVar[str] = "java.util.logging.Logger"
    _LEVEL: ClassVar[str] = "java.util.logging.Level"
    _JULI: ClassVar[str] = "org.apache.juli.ClassLoaderLogManager"

    def __init__(self, classes: LoaderClasses) -> None:
        self._classes = classes

    async def contexts(self, calls: UtilityCalls, type_: RefType) -> list[FoundContext]:
        """Return the JDK's own manager; of Tomcat's the loggers of each class loader."""
        [manager] = await calls.all(UtilityCall(self.by, "getLogManager", "()Ljava/util/logging/LogManager;"))
        [of] = await calls.classes_of([manager])
        if not isinstance(manager, Ref) or of is None:
            return []
        if of.name != self._JULI:
            return [FoundContext(self, manager, type_)]
        [[table]] = await calls.own_fields([manager], of.id, "classLoaderLoggers")
        by_loader = await calls.contents(table, 1000) if isinstance(table, Ref) else None
        pairs = [each for each in by_loader or () if isinstance(each, tuple)]
        infos = [info for _, info in pairs if isinstance(info, Ref)]
        [known, *_] = [*await calls.classes_of(infos), None]
        if known is None:
            return []
        tables = await calls.own_fields(infos, known.id, "loggers")
        return [
            FoundContext(self, loggers, type_, loader=await self._classes.in_words(loader), loader_id=loader.id)
            for (loader, _), [loggers] in zip(pairs, tables, strict=True)
            if isinstance(loggers, Ref) and isinstance(loader, Ref)
        ]

    async def loggers(self, calls: UtilityCalls, of: FoundContext, wanted: Callable[[str], bool]) -> list[FoundLogger]:
        """Return all loggers that somebody holds. wire: 10 trips."""
        if of.loader:
            [values] = await calls.all(on(of.obj, "java.util.Map", "values", "()Ljava/util/Collection;"))
            objects = await calls.elements(values, _MOST)
        else:
            await calls.expect(load=["java.util.Collections"])
            [names] = await calls.all(on(of.obj, self.by, "getLoggerNames", "()Ljava/util/Enumeration;"))
            [listed] = await calls.all(
                UtilityCall("java.util.Collections", "list", "(Ljava/util/Enumeration;)Ljava/util/ArrayList;", (names,))
            )
            found = await calls.elements(listed, _MOST)
            get = f"{_BY_NAME}Ljava/util/logging/Logger;"
            objects = await calls.all(*(on(of.obj, self.by, "getLogger", get, each) for each in found))
        held = [each for each in objects if isinstance(each, Ref)]
        level_of = "()Ljava/util/logging/Level;"
        answers = await calls.all(
            *(on(each, self._LOGGER, "getName", _TEXT) for each in held),
            *(on(each, self._LOGGER, "getLevel", level_of) for each in held),
        )
        levels = answers[len(held) :]
        distinct = list(dict.fromkeys(each for each in levels if isinstance(each, Ref)))
        words = await calls.all(*(on(each, self._LEVEL, "getName", _TEXT) for each in distinct))
        texts = await calls.texts([*answers[: len(held)], *words])
        by_level = dict(zip(distinct, texts[len(held) :], strict=True))
        own = {
            name or "": by_level.get(level) if isinstance(level, Ref) else None
            for name, level in zip(texts, levels, strict=False)
        }
        return [
            FoundLogger(name or ROOT, own[name or ""], _nearest(own, name or ""), each)
            for each, name in zip(held, texts, strict=False)
        ]

    async def set(self, calls: UtilityCalls, of: FoundContext, name: str, level: str | None) -> None:
        """Set the level of a logger that somebody holds. wire: 14 trips."""
        found = [each for each in await self.loggers(calls, of, lambda _: False) if each.name == name]
        if not found:
            raise UsageError(
                f"java.util.logging has no logger {name}",
                hint="it forgets a logger that nobody holds: name one that 'logger' lists",
                code="NO_SUCH_LOGGER",
            )
        made = None
        if level is not None:
            try:
                made = await calls.static(self._LEVEL, "parse", f"{_BY_NAME}Ljava/util/logging/Level;", level)
            except Thrown as error:
                raise _no_level(self, level) from error
        await calls.call(found[0].obj, self._LOGGER, "setLevel", "(Ljava/util/logging/Level;)V", made)


def _nearest(own: Mapping[str, str | None], name: str) -> str:
    """Return the level of the nearest logger above, by its name; INFO is the JDK's own default."""
    while True:
        if level := own.get(name):
            return level
        if not name:
            return "INFO"
        name = name.rpartition(".")[0]


def _no_level(framework: Any, level: str) -> UsageError:
    hint = f"there are {framework.levels}; 'inherited' takes its own level away"
    return UsageError(f"'{level}' is not a level of {framework.name}", hint=hint, code="NO_SUCH_LEVEL")
