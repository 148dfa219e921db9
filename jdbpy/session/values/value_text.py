"""The texts of values: the head of an object, a collection or an array, and the preview of what it holds.

Order@17   ArrayList(3) ["a", "b", "c"]   HashMap(1) {"a"=1}   int[3] {1, 2, 3}   Point[x=1, y=2]

Texts are made of texts: nothing here reads. ``describe`` says which of these shows what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from jdbpy.session.java.signatures import java_name, simple_name
from jdbpy.session.model.values import ValueInfo

_PREVIEW = 120
"""Characters after which a preview ends in "...". The whole is among the children."""


def label(class_name: str) -> str:
    """Return a class name in short: without package and, for a nested class, without its outer ones; "Outer$1"
    stays."""
    simple = simple_name(class_name).partition("/")[0]
    inner = simple.rpartition("$")[2]
    return inner if inner and not inner[0].isdigit() and "$$" not in simple else simple


def object_head(class_name: str, object_id: int) -> str:
    """Return an object that has no text of its own."""
    return f"{label(class_name)}@{object_id}"


def sized_head(class_name: str, size: int | None, object_id: int) -> str:
    """Return a collection; one that does not give its size is shown as any object."""
    return object_head(class_name, object_id) if size is None else f"{label(class_name)}({size})"


def array_head(signature: str, length: int) -> str:
    """Return an array in the spelling of its creation: "int[3][]" for three rows of int[]."""
    element = signature.lstrip("[")
    return f"{label(java_name(element))}[{length}]" + "[]" * (len(signature) - len(element) - 1)


def brackets(texts: Sequence[str], size: int | None) -> str:
    """Return a sequence, of which ``texts`` are the first elements."""
    return f"[{_joined(texts, size)}]"


def braces(texts: Sequence[str], size: int | None) -> str:
    """Return a map or an array, of which ``texts`` are the first entries."""
    return f"{{{_joined(texts, size)}}}"


def with_parts(name: str, texts: Sequence[str]) -> str:
    """Return a record: "Point[x=1, y=2]"."""
    return f"{name}[{_joined(texts, len(texts))}]"


def _joined(texts: Sequence[str], size: int | None) -> str:
    shown: list[str] = []
    room = _PREVIEW
    for text in texts:
        room -= len(text) + 2
        if room < 0 and shown:
            break
        shown.append(text)
    if size is None or len(shown) < size:
        shown.append("...")
    return ", ".join(shown)


def composed(plain: ValueInfo, parts: Iterable[tuple[str, str]], write: Callable[[list[str]], str]) -> ValueInfo:
    """Return a value whose text is written of those of others, each as it is and in the format that was asked for."""
    pairs = list(parts)
    shown, formatted = [each for each, _ in pairs], [each for _, each in pairs]
    text = write(shown)
    other = write(formatted) if formatted != shown else text
    return plain.replace(text=text, formatted=other if other != text else "")
