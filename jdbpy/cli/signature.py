"""The arguments of a command, read from the annotations of its function: parsing, usage and completion come from it.

Owns the meaning of annotations. A positional parameter is ``Annotated[T, SomeArgument()]``, optional when it has a
default, repeated when it is ``*parameter``; a keyword-only parameter is annotated with an ``Option``, of which one may
be a ``Slash``.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

from jdbpy.cli.arguments.base import Argument, Option, Slash
from jdbpy.cli.words import next_word
from jdbpy.errors import UsageError
from jdbpy.record import Record

_ATTACHED = re.compile(r"\s*[/%]([\w\0]*)(?=\s|$)")
"""The text that follows the name with a slash; the NUL is the cursor of ``Signature.expected``."""

_BEHIND = re.compile(r"(?<=[\w$)\]\"'])\s+(--[a-z][a-z-]*)(?:[= ]\s*[^\s\"'=-]+)?\s*$")
"""An option at the end of a line, behind an operand, where Java allows no ``--name``."""


_OPTION = re.compile(r"--[A-Za-z]")
"""The form of an option. A word of that form that is none must be quoted, or stand behind ``--``."""


class Parameter(Record):
    """A positional parameter."""

    name: str
    argument: Argument[Any]
    required: bool
    repeated: bool

    @property
    def usage(self) -> str:
        text = self.argument.metavar + ("..." if self.repeated else "")
        return text if self.required else f"[{text}]"


class Expected(Record):
    """The expectation at the cursor: an ``argument`` or one of ``flags``; ``text`` is what is there already."""

    argument: Argument[Any] | None
    flags: tuple[str, ...]
    text: str


class _Slot(Record):
    """A word after the name, with the parameter that it fills."""

    text: str
    option: str = ""  # the keyword parameter
    argument: Argument[Any] | None = None  # None: a flag, or one word too many
    closed: bool = True  # its quotes are
    unknown: bool = False  # it has the form of an option, and is none


class Signature:
    """The parameters of a command."""

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = typing.get_type_hints(function, include_extras=True)
        self.returns: Any = hints.get("return")
        self.positional: list[Parameter] = []
        self.options: dict[str, Option] = {}  # by the name of the parameter
        for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
            marks = _marks(hints[name])
            if parameter.kind is parameter.KEYWORD_ONLY:
                self.options[name] = next(mark for mark in marks if isinstance(mark, Option))
                continue
            repeated = parameter.kind is parameter.VAR_POSITIONAL
            argument = next(mark for mark in marks if isinstance(mark, Argument))
            required = parameter.default is parameter.empty and not repeated
            self.positional.append(Parameter(name, argument, required, repeated))
        self.slash = next((name for name, option in self.options.items() if isinstance(option, Slash)), "")
        self._flags = {
            flag: name for name, option in self.options.items() if name != self.slash for flag in option.flags
        }

    @property
    def usage(self) -> str:
        """Return the words after the name: ``[-n COUNT] [THREAD]``."""
        parts = [option.usage for option in self.options.values()]
        return " ".join(parts + [parameter.usage for parameter in self.positional])

    def parse(self, text: str) -> tuple[list[Any], dict[str, Any]]:
        """Positional and keyword values for the function; raises UsageError."""
        values: list[Any] = []
        keywords: dict[str, Any] = {}
        for slot in self._slots(text):
            if not slot.closed:
                raise UsageError("a quote is not closed")
            if slot.unknown:
                raise UsageError(f"unknown option '{slot.text.partition('=')[0]}'")
            if slot.option:
                keywords[slot.option] = slot.argument.parse(slot.text) if slot.argument else True
            elif slot.argument is None:
                raise UsageError(f"unexpected argument '{slot.text}'")
            else:
                values.append(slot.argument.parse(slot.text))
        for name, option in self.options.items():
            if option.argument is not None and keywords.get(name) is True:
                raise UsageError(f"{option.flags[0]} needs {option.argument.metavar}")
        for parameter in self.positional[len(values) :]:
            if parameter.required:
                raise UsageError(f"{_first_word(parameter.argument.metavar)} is missing")
        return values, keywords

    def text_of(self, index: int, text: str) -> str:
        """Return the text of a positional argument in ``text``, the line after the name; "" if there is none."""
        found = [slot.text for slot in self._slots(text) if not slot.option]
        return found[index] if index < len(found) else ""

    def expected(self, text: str) -> Expected:
        """Return what may stand at the end of ``text``, the part of the line after the name and up to the cursor."""
        cursor = "\0"  # makes the cursor part of a word, so that the last slot is always the one asked for
        *_, slot = self._slots(text + cursor)
        return Expected(slot.argument, () if slot.option else tuple(self._flags), slot.text.removesuffix(cursor))

    def _slots(self, text: str) -> Iterator[_Slot]:
        flags, filled, position, waiting = self._flags, 0, 0, ""
        attached = _ATTACHED.match(text) if self.slash else None
        if attached:
            position = attached.end()
            yield _Slot(attached[1], self.slash, self.options[self.slash].argument)
        while word := next_word(text, position):
            position = word.end
            flag, equals, value = word.text.partition("=")
            if waiting:
                yield _Slot(word.text, waiting, self.options[waiting].argument, word.closed)
                waiting = ""
            elif flags and word.text == "--":
                flags = {}
            elif flag in flags:
                option = self.options[flags[flag]]
                if equals:
                    yield _Slot(value, flags[flag], option.argument or NoValue(flag))
                else:
                    yield _Slot(flag, flags[flag])
                    waiting = flags[flag] if option.argument else ""
            else:
                parameter = self._positional(filled)
                filled += 1
                unknown = _OPTION.match(text, word.start) is not None and (flags or not self._flags)
                if parameter and parameter.argument.takes_rest and not (unknown and parameter.argument.of_words):
                    rest = text[word.start :]
                    end = self._behind(rest, flags) if parameter.argument.options_behind else len(rest)
                    yield _Slot(rest[:end].strip(), "", parameter.argument)
                    yield from self._slots(rest[end:])
                    return
                argument = parameter.argument if parameter else None
                yield _Slot(word.text, "", argument, word.closed, unknown=bool(unknown))

    @staticmethod
    def _behind(text: str, flags: dict[str, str]) -> int:
        """Return where the options begin that stand behind an expression, ``--name`` or ``--name VALUE``."""
        end = len(text)
        while (option := _BEHIND.search(text, 0, end)) and option[1] in flags:
            end = option.start()
        return end

    def _positional(self, index: int) -> Parameter | None:
        if index < len(self.positional):
            return self.positional[index]
        return self.positional[-1] if self.positional and self.positional[-1].repeated else None


def _first_word(metavar: str) -> str:
    """Return the one thing that a usage line asks for first: ``METHOD`` of ``METHOD [except PATTERNS] ...``."""
    words = re.sub(r"\[[^\[\]]*\]", "", metavar).split()
    return words[0] if words else metavar


class NoValue(Argument[bool]):
    """Stands where a switch was given a value: ``--all=x``."""

    def __init__(self, flag: str) -> None:
        self.flag = flag

    def parse(self, text: str) -> bool:
        raise UsageError(f"{self.flag} takes no value")


def _marks(hint: Any) -> list[Any]:
    """Return the metadata of an ``Annotated`` type, also of one inside ``X | None``."""
    if typing.get_origin(hint) is typing.Annotated:
        return list(hint.__metadata__)
    return [mark for part in typing.get_args(hint) for mark in _marks(part)]
