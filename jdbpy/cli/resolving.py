"""Resolves a name that the user has typed to a class or one of its members, for all commands that take one.

A class may be given by its full or simple name, in any case, or as a pattern that matches exactly one class; a member
follows after a dot. Breakpoints may wait for classes that are not loaded yet, and resolve names elsewhere; here the
class must be loaded.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from fnmatch import fnmatchcase
from typing import TypeVar

from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import some
from jdbpy.errors import UsageError

T = TypeVar("T")

_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")

_NAMED = 5
"""Classes that are named when a pattern fits several."""


async def of_class(ctx: Context, text: str, ask: Callable[[str], Awaitable[T]]) -> tuple[str, T]:
    """Resolve a class, and return its name with what ``ask`` returns for it. Raises UsageError.

    An exact name costs what ``ask`` costs. wire: 1 trip more for any other, as ``classes.list``.
    """
    if not _is_pattern(text):
        try:
            return text, await ask(text)
        except UsageError as error:
            if error.code != "CLASS_NOT_LOADED":
                raise
            unknown = error
    else:
        unknown = UsageError(f"no loaded class fits '{text}'", hint="'classes' lists them", code="CLASS_NOT_LOADED")
    found = await _meant(ctx, text)
    if not found:
        raise unknown
    return found, await ask(found)


async def of_member(ctx: Context, text: str, ask: Callable[[str, str], Awaitable[T]]) -> tuple[str, str, T]:
    """Resolve ``Class`` or ``Class.member``, and return the class, the member ("" for none), and what ``ask`` returns
    for them. Raises UsageError. wire: as ``of_class``."""
    owner, _, member = re.sub(r"\(.*", "", text).rpartition(".")
    try:
        name, answer = await of_class(ctx, text, lambda name: ask(name, ""))
        return name, "", answer
    except UsageError as error:
        if not owner or error.code != "CLASS_NOT_LOADED":
            raise
        unknown = error
    try:
        name, answer = await of_class(ctx, owner, lambda name: ask(name, member))
    except UsageError as error:
        raise unknown if error.code == "CLASS_NOT_LOADED" else error from None
    return name, member, answer


async def class_of(ctx: Context, text: str) -> str:
    """Return the full name of the loaded class that a text refers to, "" if there is none. Raises UsageError if it is
    ambiguous. wire: 1 trip, as ``classes.list``."""
    if not _is_pattern(text) and (named := await ctx.session.classes.find(text)):
        return named[0].name
    return await _meant(ctx, text)


async def _meant(ctx: Context, text: str) -> str:
    """Return the one loaded class that matches a pattern, or a name regardless of case; "" if there is none. Raises
    UsageError if it is ambiguous."""
    names = {each.name for each in await ctx.session.classes.list() if each.kind != "array"}
    found = sorted(name for name in names if "$$" not in name and fits(text, name))
    if len(found) > 1:  # those of the program go before those of the JDK
        found = [name for name in found if not name.startswith(_JDK)] or found
    if len(found) > 1:
        raise UsageError(f"'{text}' may be {len(found)} classes: {some(found, _NAMED)}", hint="give one of these names")
    return found[0] if found else ""


def fits(text: str, name: str) -> bool:
    """True if a pattern or a name, regardless of case, matches the full or the simple name of a class."""
    own: Iterable[str] = (name, name.rpartition(".")[2], name.rpartition(".")[2].rpartition("$")[2])
    if _is_pattern(text):
        return any(fnmatchcase(each, text) for each in own)
    return any(each.lower() == text.lower() for each in own)


def _is_pattern(text: str) -> bool:
    return "*" in text
