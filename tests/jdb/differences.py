"""The table of docs/jdb.md: where jdbpy's answer differs from that of the JDK's jdb, and why."""

from __future__ import annotations

import re

from tests.harness.programs import ROOT

_ROW = re.compile(r"^\| `(.+?)` \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
_ID = re.compile(r"\(id=\d+\)|, id=\d+\)|@[0-9a-f]+\b|@\d+\b|(?<=\))\d+|(?<=/)0x[0-9a-f]{16}\b")
PROMPT = r"(?:> |[\w-]+\[\d+\] )"
"""The pattern of one prompt, without a thread or with one."""
_PROMPTS = re.compile(rf"({PROMPT})\1+")
_LATE_PROMPT = re.compile(r"\A[\w-]+\[\d+\] (?=.)", re.DOTALL)
_AMID = f"{PROMPT}+"
_PROMPT_AMID = re.compile(rf'(\A|\n)\n(?:([A-Z][^"\n]*: ){_AMID}(?=\S)|{_AMID}(?=[A-Z][^"\n]*: "))')
_PROMPT_BEFORE_SOURCE = re.compile(rf"\n{_AMID}(?=\d+ {{4}})")
_EVENT_FIRST = re.compile(r'\A(?=\n[A-Z][^"\n]*: ")')
_FAILED_READING = "\nFatal error:\nFailed reading output of child java interpreter.\n"
_INTERRUPTION = r"> |\n?VM Started: "
_RELATIVE = ("implementor: ", "subclass: ", "subinterface: ", "nested: ", "implements: ")


def listed_differences() -> dict[str, str]:
    """Command lines of the table, with the reason why the answers differ."""
    text = (ROOT / "docs" / "jdb.md").read_text(encoding="utf-8")
    return {match[1].replace("\\|", "|"): match[4] for match in _ROW.finditer(text)}


def beginnings(words: str) -> str:
    """Return a pattern that matches the words or any beginning of them: jdb may exit while it writes its last words."""
    pattern = ""
    for character in reversed(words):
        pattern = f"(?:{re.escape(character)}{pattern})?"
    return pattern


def interrupted(words: str) -> str:
    """Return a pattern that matches output of a program even if jdb's prompt or "VM Started" interrupts it.

    The JDK's jdb shows output character by character, while its other threads write as well.
    """
    return rf"(?:\n|{_INTERRUPTION})*".join(re.escape(character) for character in words)


def without_interruptions(text: str) -> str:
    """Return the text without jdb's prompts that have no thread, and without its "VM Started"."""
    return re.sub(_INTERRUPTION, "", text)


_CUT_SHORT = re.compile(rf"(?<![^\n ]){beginnings(_FAILED_READING)}\Z")


def without_failed_reading(text: str) -> str:
    """Return the last text of the JDK's jdb without its report that it could not read its program's output.

    At exit jdb ends its program and closes that program's output. Its reader takes "Stream closed" for the end of the
    output. A reader that is just about to read gets another error, and jdb reports it.
    """
    return _CUT_SHORT.sub("", text)


def begins_with_event(text: str) -> bool:
    """True if no prompt stands before the event that answers a command."""
    return _EVENT_FIRST.match(text) is not None


def without_prompts(text: str) -> list[str]:
    """Return the words of an answer without its prompts, which jdb writes from several threads, in any order."""
    return re.sub(PROMPT, "", text).split()


def normalized(text: str) -> str:
    """An answer without what differs from run to run: ids, the order of relatives.

    Prompts in a row count as one, and one that came after the former answer as none. That of the command which an event
    answers counts as before the event, wherever it stands: jdb's monitors and events write theirs from several threads.
    """
    text = _PROMPT_BEFORE_SOURCE.sub("\n", _PROMPT_AMID.sub(r"\1> \n\2", text))
    text = _EVENT_FIRST.sub("> ", text)
    text = re.sub(r"(\[\d+\] )> $", r"\1", text)
    text = _LATE_PROMPT.sub("", _PROMPTS.sub(r"\1", _ID.sub("#", text)))
    lines = [" ".join(line.split(" ")) for line in text.split("\n")]
    lines = [re.sub(r"(?<=\S)\s+", " ", line) if line.startswith("  (") else line for line in lines]
    relatives = iter(sorted(line for line in lines if line.startswith(_RELATIVE)))
    return "\n".join(next(relatives) if line.startswith(_RELATIVE) else line for line in lines)
