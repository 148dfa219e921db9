"""Names of classes as users type them, the loaded classes that they mean, and patterns of names.

Owns three kinds of patterns: those that find classes (``ClassName``), step filters and class filters as the agent
understands them (excludes: dotted, with one ``*`` at the very start or end, ``eventFilter.c``), and those of names of
other things (``like``). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from jdbpy.errors import UsageError
from jdbpy.identifiers import LETTER, WORD
from jdbpy.record import Record
from jdbpy.session.java.signatures import package_of, simple_name

_PLAIN_NAME = rf"{LETTER}[{WORD}-]*(?:\.{LETTER}[{WORD}-]*)*"
_NAME = re.compile(rf"{_PLAIN_NAME}(?:/0x[0-9a-fA-F]+)?")
_HIDDEN_NAME = re.compile(rf"{_PLAIN_NAME}/0x[0-9a-fA-F]+")
_ADDRESS = re.compile(r"/(?:0x)?[0-9a-fA-F]+$")
_NUMBERED = re.compile(
    r"(\$\$Lambda)\$\d+$|^(?:jdk\.proxy\d+\.|com\.sun\.proxy\.)?(\$Proxy)\d+$"
    r"|(?<=\.)(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+$"
)
"""Endings of names that count what was made at run time: lambdas before Java 21, proxies, accessors."""
_STARRED = re.compile(rf"\*[{WORD}.-]*|[{WORD}.-]*\*")
_MOST_COMPARED = 5_000
"""Names that are compared letter by letter for a suggestion: some 50 ms."""

_RUNTIME = ("java.", "javax.", "jdk.", "sun.", "com.sun.", "oracle.")


def is_hidden_name(text: str) -> bool:
    """True for the name of a hidden class, whose slash is no directory: "acme.Order$$Lambda/0x0000000800c03000"."""
    return _HIDDEN_NAME.fullmatch(text) is not None


def name_in_any_jvm(name: str) -> str:
    """Return the name of a class without what a JVM has numbered while it ran: "acme.Order$$Lambda", "$Proxy"."""
    name = _ADDRESS.sub("", name)
    return _NUMBERED.sub(lambda found: found[found.lastindex or 0], name)


def of_the_runtime(name: str) -> bool:
    """True if the class belongs to the JDK, known by its package."""
    return name.startswith(_RUNTIME)


def similar(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of the names that may have been meant instead: another package, other capitals, a slip."""
    wanted = simple_name(name).lower()
    all_names = set(names)
    same = sorted(each for each in all_names if simple_name(each).lower() == wanted)
    if same:
        return same[:3]
    own = [each for each in all_names if not of_the_runtime(each)]
    if len(own) > _MOST_COMPARED:
        return []
    by_simple = {simple_name(each): each for each in sorted(own, reverse=True)}
    return close_to(name, own) or [by_simple[each] for each in close_to(simple_name(name), by_simple)]


def close_to(word: str, words: Iterable[str]) -> list[str]:
    """Up to three of the words that differ from it by a slip, the closest first."""
    from difflib import get_close_matches  # needed for errors only

    return get_close_matches(word, set(words), cutoff=0.75)


def enclosing(name: str) -> list[str]:
    """Return the class itself and those around it, known by its name: ["a.B$C$1", "a.B$C", "a.B"]."""
    names = [name]
    cut = name.rfind("$")
    while cut > len(name) - len(simple_name(name)):
        names.append(name[:cut])
        cut = name.rfind("$", 0, cut)
    return names


class ClassName(Record):
    """A class name as typed, made by ``parse_class_name``; ``bound`` once it is known to be a whole binary name."""

    text: str
    bound: bool = False

    @property
    def is_pattern(self) -> bool:
        return "*" in self.text

    @property
    def is_full(self) -> bool:
        """True if it can be taken for a complete name: it has a package, and that begins with a small letter."""
        if self.bound or is_hidden_name(self.text):
            return True
        return not self.is_pattern and "." in self.text and self.text[:1].islower()

    @property
    def needle(self) -> str:
        """Return a text that every name it can mean contains: for passing over thousands of others quickly."""
        return [part for part in re.split(r"[.$*/]", self.text) if part][-1:][0] if self.text != "*" else ""

    def is_name_of(self, name: str) -> bool:
        """True if it is the class's whole name, or a pattern for it. ``Outer.Inner`` is as good as ``Outer$Inner``."""
        if self.text.startswith("*"):
            return name.endswith(self.text[1:]) or _dotted(name).endswith(self.text[1:])
        if self.text.endswith("*"):
            return name.startswith(self.text[:-1])
        return name == self.text or _dotted(name) == _dotted(self.text)

    def is_end_of(self, name: str) -> bool:
        """True if it is the last part of the class's name: ``Order`` or ``acme.Order``, or ``Inner`` of Outer$Inner."""
        return not self.is_pattern and _dotted(name).endswith("." + _dotted(self.text))

    def may_mean(self, name: str) -> bool:
        """True if a class that is only now loaded can be meant. A short name is not for classes of the JDK."""
        return self.is_name_of(name) or (self.is_end_of(name) and not self.is_full and not of_the_runtime(name))

    def choose(self, names: Iterable[str]) -> set[str]:
        """Return the loaded classes that are meant.

        All that a pattern matches; else the one with exactly this name; else the only one that ends in it, where the
        program's own classes go before the JDK's. Raises UsageError when several are left.
        """
        all_names = set(names)
        exact = {name for name in all_names if self.is_name_of(name)}
        if exact or self.is_pattern:
            return exact
        ends = {name for name in all_names if self.is_end_of(name)}
        chosen = {name for name in ends if not of_the_runtime(name)} or ends
        if len(chosen) > 1:
            shown = sorted(chosen)[:5]
            more = f" and {len(chosen) - 5} more" if len(chosen) > 5 else ""
            raise UsageError(
                f"'{self.text}' may be {', '.join(shown)}{more}",
                hint=f"give the full name, or *.{self.text} for all of them",
                code="AMBIGUOUS_CLASS",
            )
        return chosen

    def spellings(self) -> list[str]:
        """Return the possible binary names: a dot after a part that begins with a capital may be a dollar."""
        names = [self.text]
        if self.bound:
            return names
        head, dot, tail = self.text.rpartition(".")
        while dot and head.rpartition(".")[2][:1].isupper():
            names.append(f"{head}${tail}")
            head, dot, last = head.rpartition(".")
            tail = f"{last}${tail}"
        return names

    @property
    def source_pattern(self) -> str:
        """Return a ``SourceNameMatch`` pattern for the file that the class is likely to be in: "Order.*"."""
        parts = [part for part in re.split(r"[.$*]", self.text) if part]
        top = next((part for part in parts if part[0].isupper()), parts[-1] if parts else "")
        return f"{top}.*"

    def prepare_patterns(self, *, nested: bool) -> list[str]:
        """Patterns for ``ClassMatch`` that let no class pass unnoticed which this name may mean.

        With ``nested`` also the classes inside it, as far as one pattern can say so.
        """
        if self.is_pattern:
            return [self.text]
        patterns = []
        for name in self.spellings():
            patterns += [name, f"{name}$*"] if nested else [name]
            if not self.is_full:
                patterns += [f"*.{name}", f"*${name}"]
        return patterns


def parse_class_name(text: str) -> ClassName:
    """Read a class name or a pattern. Raises UsageError."""
    text = text.strip()
    if _NAME.fullmatch(text) or _STARRED.fullmatch(text):
        return ClassName(text)
    if "*" in text:
        hint = "one * may stand at the start or at the end: *.Order, com.acme.*"
    else:
        hint = "write it as in Java: com.acme.Order, Order, or Outer$Inner"
    raise UsageError(f"'{text}' is not a class name", hint=hint)


def path_of_package(name: str) -> str:
    """Return the directory of a class's package, "com/acme" or ""."""
    return package_of(name).replace(".", "/")


def _dotted(name: str) -> str:
    return name.replace("$", ".")


def not_loaded(names: Sequence[str], near: Sequence[str] = ()) -> str:
    """Return why a breakpoint is pending: classes that are not loaded yet; ``near`` are names that may be meant."""
    noun, verb = ("class", "is") if len(names) == 1 else ("classes", "are")
    there_is = f" (there is {', '.join(near)})" if near else ""
    return f"pending: {noun} {', '.join(names[:5])} {verb} not loaded yet{there_is}"


def none_loaded(which: str) -> str:
    """Return why a breakpoint is pending for any of some classes: ``of Order.java``, ``com.acme.*``."""
    return f"pending: no class {which} is loaded yet"


def like(pattern: str, name: str) -> bool:
    """True if a pattern fits a name: ``*`` and ``?`` stand for anything, other text may stand anywhere in it.

    Upper and lower case are the same; an empty pattern fits everything.
    """
    pattern, name = pattern.lower(), name.lower()
    return fnmatchcase(name, pattern) if "*" in pattern or "?" in pattern else pattern in name


DEFAULT_EXCLUDES = ("java.*", "javax.*", "sun.*", "com.sun.*", "jdk.*")
"""jdb's own default."""


def check_excludes(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns, cleaned. Raises UsageError for one that the agent would not understand."""
    cleaned = tuple(pattern.strip() for pattern in patterns if pattern.strip())
    for pattern in cleaned:
        if "*" in pattern[1:-1] or pattern.count("*") > 1:
            raise UsageError(
                f"'{pattern}' cannot be a filter: the target takes one '*', at the start or at the end",
                hint="for example java.* or *Proxy",
            )
    return cleaned


def fits_exclude(pattern: str, class_name: str) -> bool:
    """True if the agent would find that the class matches."""
    if pattern.startswith("*"):
        return class_name.endswith(pattern[1:])
    if pattern.endswith("*"):
        return class_name.startswith(pattern[:-1])
    return class_name == pattern


def excludes_outside(patterns: Sequence[str], class_name: str) -> tuple[str, ...]:
    """Return the patterns that leave the class in: who stands in java.util and steps wants to step there."""
    return tuple(pattern for pattern in patterns if not fits_exclude(pattern, class_name))
