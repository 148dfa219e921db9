"""From a file to a plug-in: who may have written it, its run, the functions that it declares, and its faults in words.

A file counts only if none but this user and root can have written it: what is in it can do whatever the user can.
"""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from jdbpy.errors import JdbpyError, PluginError, UsageError
from jdbpy.files import why_not_trusted
from jdbpy.plugins.declare import (
    CommandDeclaration,
    Declaration,
    HookDeclaration,
    PaneDeclaration,
    ViewDeclaration,
    declarations,
)
from jdbpy.record import Record

GIVEN = ("vm", "stop", "frame", "thread")
"""Parameters of commands and hooks that are no arguments."""

_OF_EVENTS = frozenset((*GIVEN, "hit", "event"))


class Plugin(Record):
    """A file that was loaded: what it declares."""

    path: str
    commands: tuple[CommandDeclaration, ...]
    views: tuple[ViewDeclaration, ...]
    hooks: tuple[HookDeclaration, ...]
    panes: tuple[PaneDeclaration, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return os.path.basename(self.path)


def load(path: str, content: bytes | None = None) -> Plugin:
    """Run a file and return what it declares. ``content`` is what it is known to hold, if the user trusts that.

    Raises UsageError for a file that is not there or that others may have written, PluginError when it fails.
    """
    given, path = path, os.path.realpath(path)
    name = os.path.basename(path)
    if content is None and not os.path.exists(path):
        raise UsageError(f"the plug-in {name} cannot be read: no such file", code="NO_SUCH_FILE")
    if content is None and (reason := why_not_trusted(given)):  # a link may lead elsewhere by the time it is followed
        hint = "a plug-in and its directory must be yours, and only you may write them: chmod go-w"
        raise UsageError(f"the plug-in {name} is not loaded: {reason}", hint=hint, code="NOT_TRUSTED")
    module = ModuleType(f"jdbpy_plugin_{os.path.splitext(name)[0]}")
    module.__file__ = path
    sys.modules[module.__name__] = module  # dataclasses and pickle look for it there
    with faults_of(name, path):
        if content is None:
            with open(path, "rb") as file:
                content = file.read()
        code = compile(content, path, "exec")
        try:
            exec(code, module.__dict__)
        except JdbpyError as error:  # of a decorator, mostly: the user has to know where
            raise in_words(error, name, [path]) from error
        return _plugin(path, module.__dict__)


def _plugin(path: str, names: Mapping[str, Any]) -> Plugin:
    marked = {id(each): each for each in names.values() if declarations(each)}
    found: list[Declaration] = [one for each in marked.values() for one in declarations(each)]
    for each in found:
        _check(each)
    return Plugin(
        path,
        tuple(each for each in found if isinstance(each, CommandDeclaration)),
        tuple(each for each in found if isinstance(each, ViewDeclaration)),
        tuple(each for each in found if isinstance(each, HookDeclaration)),
        tuple(each for each in found if isinstance(each, PaneDeclaration)),
    )


def _check(declared: Declaration) -> None:
    function = declared.function
    if isinstance(declared, HookDeclaration):
        for name in parameters(function):
            if name not in _OF_EVENTS:
                words = ", ".join(sorted(_OF_EVENTS))
                raise fault_at(function, f"the hook {function.__name__} has a parameter '{name}'; there are {words}")
    elif isinstance(declared, CommandDeclaration) and not (function.__doc__ or "").strip():
        raise fault_at(function, f"the command {declared.names[0]} has no docstring, which would be its help")


def parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters that a function needs or takes, those with a star left out."""
    starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [name for name, each in inspect.signature(function).parameters.items() if each.kind not in starred]


# -- faults ----------------------------------------------------------------------------------------------------------


def fault_at(function: Callable[..., Any], message: str) -> PluginError:
    """Return the error for a declaration that makes no sense, with its line."""
    code = getattr(function, "__code__", None)
    line = f", line {code.co_firstlineno}" if code is not None else ""
    name = os.path.basename(code.co_filename) if code is not None else "plug-in"
    return PluginError(f"{name}{line}: {message}")


@contextmanager
def faults_of(name: str, path: str) -> Iterator[None]:
    """Turn what the code of a file raises into one sentence; errors of jdbpy's own pass."""
    try:
        yield
    except JdbpyError:
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise in_words(error, name, [path]) from error


def in_words(error: BaseException, name: str, paths: Iterable[str]) -> PluginError:
    """Return the error of a plug-in as a sentence: the innermost line in one of its files, the exception, its
    message."""
    known = set(paths)
    line: int | None = None
    if isinstance(error, SyntaxError) and error.filename in known:
        line = error.lineno
        text = f"{type(error).__name__}: {error.msg}"
    else:
        for frame, number in traceback.walk_tb(error.__traceback__):
            file = frame.f_code.co_filename
            if file in known:
                line = number
        whole = error.message if isinstance(error, JdbpyError) else traceback.format_exception_only(error)[-1]
        text = " ".join(whole.split())
    place = f"{name}, line {line}" if line is not None and name else name
    made = PluginError(f"{place}: {text}".removeprefix(": "), hint=error.hint if isinstance(error, JdbpyError) else "")
    made.traceback = _account(error, known)
    return made


def _account(error: BaseException, known: set[str]) -> str:
    """Python's own account of an error, from the first line in one of these files on."""
    begin = error.__traceback__
    while begin is not None and begin.tb_frame.f_code.co_filename not in known:
        begin = begin.tb_next
    lines = traceback.format_exception(type(error), error, begin or error.__traceback__)
    return "".join(lines).rstrip("\n") + "\n"
