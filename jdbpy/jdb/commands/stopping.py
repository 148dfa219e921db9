"""stop, clear, watch, unwatch, catch, ignore."""

from __future__ import annotations

import re

from jdbpy import SuspendPolicy
from jdbpy.identifiers import IDENTIFIER
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.specs import POLICIES, BreakpointSpec, ExceptionSpec, WatchSpec
from jdbpy.jdb.texts import CLEAR_USAGE, STOP_USAGE
from jdbpy.jdb.words import Words, java_integer, whole_number

_PLACE_END = ":( \t\n\r"
_IDENTIFIER = IDENTIFIER
_NAME = rf"\*?\.*{_IDENTIFIER}(\.+{_IDENTIFIER})*\.*\*?"
_CLASS = re.compile(rf"{_NAME}(?:/0x[0-9a-fA-F]+)?")
"""A class or a pattern; a hidden class has a slash in its name, and behind that its address."""
_METHOD = re.compile(rf"{_IDENTIFIER}|<init>|<clinit>")
_CATCH_USAGE = "Usage: catch [uncaught|caught|all] <class id>|<class pattern>"
_IGNORE_USAGE = "Usage: ignore [uncaught|caught|all] <class id>|<class pattern>"


@jdb_command("stop", offline=True)
async def stop(jdb: Debugger, words: Words) -> None:
    if not words.more():
        _list_breakpoints(jdb)
        return
    word = words.next()
    policy = SuspendPolicy.ALL
    if word in POLICIES and words.more():
        policy, word = POLICIES[word], words.next()
    thread: int | None = None
    if word not in ("at", "in"):
        if java_integer(word) is None:
            jdb.out.line(f'Expected "at", "in", or an integer <thread_id>: {word}\n{STOP_USAGE}')
            return
        if jdb.session is None:
            jdb.out.line("<thread_id> option not valid until the VM is started with the run command")
            return
        found = await _thread(jdb, word)
        if found is None:
            jdb.out.line(f"Invalid <thread_id>: {word}")
            return
        thread, word = found, words.next()
    if word not in ("at", "in"):
        jdb.out.line(f'Missing "at" or "in"\n{STOP_USAGE}')
        return
    spec = _place(jdb, words, STOP_USAGE, policy, thread)
    if spec is not None:
        await jdb.specs.add(spec, jdb.session)


@jdb_command("clear", offline=True)
async def clear(jdb: Debugger, words: Words) -> None:
    if not words.more():
        _list_breakpoints(jdb)
        return
    spec = _place(jdb, words, CLEAR_USAGE)
    if spec is not None:
        removed = await jdb.specs.delete(spec, jdb.session)
        jdb.out.line(f"{'Removed' if removed else 'Not found'}: {spec.text}")


@jdb_command("watch", offline=True)
async def watch(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("Field to watch not specified.")
        return
    for spec in _field(jdb, words):
        await jdb.specs.add(spec, jdb.session)


@jdb_command("unwatch", offline=True)
async def unwatch(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("Field to unwatch not specified.")
        return
    for spec in _field(jdb, words):
        removed = await jdb.specs.delete(spec, jdb.session)
        jdb.out.line(f"{'Removed' if removed else 'Not found'}: {spec.text}")


@jdb_command("catch", offline=True)
async def catch(jdb: Debugger, words: Words) -> None:
    if not words.more():
        _list_exceptions(jdb)
        return
    spec = _exception(jdb, words)
    if spec is None:
        jdb.out.line(_CATCH_USAGE)
    else:
        await jdb.specs.add(spec, jdb.session)


@jdb_command("ignore", offline=True)
async def ignore(jdb: Debugger, words: Words) -> None:
    if not words.more():
        _list_exceptions(jdb)
        return
    spec = _exception(jdb, words)
    if spec is not None and await jdb.specs.delete(spec, jdb.session):
        jdb.out.line(f"Removed: {spec.text}")
        return
    if spec is not None:
        jdb.out.line(f"Not found: {spec.text}")
    jdb.out.line(_IGNORE_USAGE)


def _list_breakpoints(jdb: Debugger) -> None:
    specs = jdb.specs.of(BreakpointSpec)
    jdb.out.line("Breakpoints set:" if specs else "No breakpoints set.")
    jdb.out.print("".join(f"\t{spec.text}\n" for spec in specs))


def _list_exceptions(jdb: Debugger) -> None:
    specs = jdb.specs.of(ExceptionSpec)
    jdb.out.line("Break when these exceptions occur:" if specs else "No exceptions caught.")
    jdb.out.print("".join(f"\t{spec.text}\n" for spec in specs))


async def _thread(jdb: Debugger, word: str) -> int | None:
    return next((each.id for each in await jdb.target.threads.list() if each.id == java_integer(word)), None)


def _place(
    jdb: Debugger, words: Words, usage: str, policy: SuspendPolicy = SuspendPolicy.ALL, thread: int | None = None
) -> BreakpointSpec | None:
    """Return the place at the end of the line; says what is wrong with it, if it is none."""
    word = words.next(_PLACE_END)
    rest = words.rest().strip()
    if not word:
        jdb.out.line(usage)
        return None
    if rest.startswith(":"):
        return _line_place(jdb, word, rest[1:].split(), usage, policy, thread)
    class_name, _, method = word.rpartition(".")
    if not class_name or not method:
        jdb.out.line(f"Invalid <class>.<method_name> specification\n{usage}")
        return None
    arguments = ""
    if rest:
        if not (rest.startswith("(") and rest.endswith(")")):
            jdb.out.line(f"Invalid <method_name> specification: {method}{rest}\n{usage}")
            return None
        arguments = f"({','.join(part for part in rest[1:-1].split(',') if part)})"
    if not _METHOD.fullmatch(method):
        jdb.out.line(f'"{method}" is not a valid method name.')
        return None
    if not _valid_class(jdb, class_name):
        return None
    return BreakpointSpec(class_name, f".{method}{arguments}", policy, thread)


def _line_place(
    jdb: Debugger, class_name: str, words: list[str], usage: str, policy: SuspendPolicy, thread: int | None
) -> BreakpointSpec | None:
    if not words:
        jdb.out.line(usage)
        return None
    line = whole_number(words[0])
    if line is None:
        jdb.out.line(f"Invalid line number specified\n{usage}")
        return None
    if len(words) > 1:
        jdb.out.line(f"Extra tokens after breakpoint location\n{usage}")
        return None
    if not _valid_class(jdb, class_name):
        return None
    return BreakpointSpec(class_name, f":{line}", policy, thread)


def _valid_class(jdb: Debugger, name: str) -> bool:
    if _CLASS.fullmatch(name):
        return True
    jdb.out.line(f'"{name}" is not a valid class name.')
    return False


def _field(jdb: Debugger, words: Words) -> list[WatchSpec]:
    """Return the watchpoints that the line asks for."""
    word = words.next()
    policy = SuspendPolicy.ALL
    if word in POLICIES:
        policy, word = POLICIES[word], words.next()
    kinds = {"access": (True,), "all": (True, False)}.get(word, (False,))
    if word in ("access", "all"):
        word = words.next()
    class_name, dot, field = word.rpartition(".")
    if not dot:
        jdb.out.line("Class containing field must be specified.")
        return []
    if not re.fullmatch(_IDENTIFIER, field):
        jdb.out.line(f'"{field}" is not a valid field name.')
        return []
    if not _valid_class(jdb, class_name):
        return []
    return [WatchSpec(class_name, field, access=access, policy=policy) for access in kinds]


def _exception(jdb: Debugger, words: Words) -> ExceptionSpec | None:
    word = words.next()
    pattern = word
    if word in ("uncaught", "caught", "all"):
        pattern = words.next()
        if not pattern:
            return None
    if not _valid_class(jdb, pattern):
        return None
    return ExceptionSpec(pattern, caught=word != "uncaught", uncaught=word != "caught")
