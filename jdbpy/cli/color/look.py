"""Colors: which piece of a line gets which, and how Java looks.

Owns the styles, and the patterns that find the pieces in the lines of the plain renderer: the text is the same, letter
for letter. Only normal colors of the terminal's own palette that are dark enough for a light background and light
enough for a dark one (red, green, magenta, cyan), and bold and faint, which fit both.
"""

from __future__ import annotations

import re
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.style import Style
from rich.syntax import SyntaxTheme
from rich.text import Text

STYLES = {
    "plain": "",
    "title": "bold",
    "heading": "bold underline",
    "faint": "dim",
    "marker": "bold green",
    "error": "bold red",
    "number": "cyan",
    "string": "green",
    "name": "bold",
    "type": "cyan",
    "word": "magenta",
    "changed": "bold magenta",
}
"""The names of styles that the patterns and tables use."""


class _Lines(Highlighter):
    """Lays the styles of ``STYLES`` over what the groups of the same name match."""

    highlights: ClassVar[tuple[str, ...]] = ()

    def highlight(self, text: Text) -> None:
        for pattern in self.highlights:
            for match in re.finditer(pattern, text.plain):
                for name in match.groupdict():
                    start, end = match.span(name)
                    if start < end:
                        text.stylize(STYLES[name], start, end)


_LITERALS = (
    r"(?P<string>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?)",
    r"(?<![\w.$@\"])(?P<number>-?\d[\w.]*)",
    r"\b(?P<word>null|true|false)\b",
    r"(?P<changed>\(changed\))",
    r"(?P<error><[^<>]*>$)",
    r"(?P<faint>  \(\$\d+\))$",
)
_DECLARED = (r"^\s+(?P<faint>\S+(?: [^\s=]+)*) (?P<name>[^\s=]+) = ", r"^\s+(?P<name>\[\d+\]) = ")


class Frames(_Lines):
    """``[1] com.acme.Order.total (Order.java:42)``: the method stands out, its package stands back."""

    highlights: ClassVar = (
        r"^\s*\[(?P<number>\d+)\]",
        r"^\s*\[\d+\] (?P<faint>(?:[\w$]+\.)*)(?P<name>[\w$/]+\.[\w$<>]+) (?P<type>\(.*?\))",
        r"^(?P<title>Thread \d+ \".*?\")(?=,)",
        r"(?P<faint>^\s*(?:\.\.\.|\().*)",
        r"(?P<faint>\[replaced since\])",
        *_DECLARED,  # the variables of `bt full`
    )


class Locks(_Lines):
    """``holds Object@12 (java.lang.Object), in Order.total (Order.java:42)``: threads and objects stand out."""

    highlights: ClassVar = (
        r"^(?P<title>Deadlock \d+)",
        r"^(?P<title>Thread \d+ \".*?\")(?=,)",
        r"(?P<name>thread \d+ \".*?\")",
        r"(?P<string>[\w$.]+@\d+)",
        r"(?P<word>holds|waits|held by|is parked)\b",
        r", in (?P<faint>(?:[\w$]+\.)*)(?P<name>[\w$/]+\.[\w$<>]+) (?P<type>\(.*?\))$",
        r"(?P<faint>^\s*\(.*)",
    )


class Literals(_Lines):
    """A value alone: literals by kind."""

    highlights: ClassVar = _LITERALS


class Values(_Lines):
    """``order.total = 7``, and the fields below it, ``int n = 7``: the names stand out; literals by kind."""

    highlights: ClassVar = (r"^(?P<name>\S.*?) = ", *_DECLARED, *_LITERALS)


class Declared(_Lines):
    """``int $n = 7``: the names stand out; literals by kind."""

    highlights: ClassVar = (r"^(?P<faint>\S+(?: [^\s=$]+)*) (?P<name>\$\w+) = ", *_LITERALS)


class Classes(_Lines):
    """``com.acme.Order``: the package stands back."""

    highlights: ClassVar = (r"^(?P<faint>(?:[\w$]+\.)+)", r"^(?P<faint>\d+ class(?:es)?\b.*)")


class Members(_Lines):
    """``public int total(int, String)``: modifiers by color, the name stands out."""

    highlights: ClassVar = (
        r"\b(?P<word>public|protected|private|static|final|abstract|native|synchronized|transient|volatile|strictfp)\b",
        r"(?P<name>[\w$<>]+)(?=\()",
        r"(?P<name>[\w$]+)(?:  \(.*\))?$",
        r"(?P<faint>  \(.*\))$",
    )


class Code(_Lines):
    """``=>   12: invokevirtual #7  // Method ...``: instructions stand out, what they mean stands back."""

    highlights: ClassVar = (
        r"^(?P<marker>=>)",
        r"^(?:=>|  )\s*(?P<number>\d+): (?P<name>\w+(?: [a-z]\w+)?)",
        r"(?P<faint>// .*)$",
        r"^  (?P<heading>(?:line |\S+:)\d+)$",
        r"(?P<faint>^  \(.*\)$)",
    )


class Bytes(_Lines):
    """``  00000010  48 69 00 00  |Hi..|``: offset, bytes, text."""

    highlights: ClassVar = (
        r"^(?P<name>\S.*?): ",
        r"^  (?P<faint>[0-9a-f]{8})  (?P<number>[0-9a-f ]+)  (?P<string>\|.*\|)$",
        r"^  (?P<faint>\.\.\. .*)",
    )


class Help(_Lines):
    """Pages of the manual: what can be typed stands out."""

    highlights: ClassVar = (
        r"(?P<name>`[^`]+`)",
        r"^(?P<title>\w+): ",
        r"^(?P<faint>also: .*)",
    )


class Stops(_Lines):
    """``Breakpoint 1 hit: thread "main", com.acme.Order.total, Order.java:42``, and what the stop is about."""

    highlights: ClassVar = (
        r"^(?P<title>[A-Z][^:]*)(?=:|$)",
        r", (?P<faint>(?:[\w$]+\.)*)(?P<name>[\w$/]+\.[\w$<>]+), (?P<type>[^,]*?)(?: \(.*\))?$",
        r"(?P<faint> \([^()]*\))$",
        r"(?P<string>\"(?:[^\"\\]|\\.)*\"?)",
        r"^  (?P<faint>message|cause|will be caught at|returns)\b",
    )


class Errors(_Lines):
    """``error: ...``, the expression with a caret, the hint."""

    highlights: ClassVar = (
        r"^(?P<error>error:)",
        r"^\s*(?P<error>\^)$",
        r"^  (?P<faint>hint: .*)",
        r"^    (?P<faint>(?:at|\.\.\.) .*)",
    )


class Sentences(_Lines):
    """Anything else: what is only a remark stands back."""

    highlights: ClassVar = (r"(?P<faint>^\s+\(.*\)$)",)


_CODE = {
    ("Comment",): "dim",
    ("Keyword",): "magenta",
    ("Literal", "String"): "green",
    ("Literal", "Number"): "cyan",
    ("Name", "Decorator"): "cyan",
    ("Name", "Class"): "bold",
    ("Name", "Function"): "bold",
}


class CodeTheme(SyntaxTheme):
    """Source code in the colors above. Tokens are those of pygments, outermost kind first."""

    def get_style_for_token(self, token_type: tuple[str, ...]) -> Style:
        for length in range(len(token_type), 0, -1):
            if token_type[:length] in _CODE:
                return Style.parse(_CODE[token_type[:length]])
        return Style.null()

    def get_background_style(self) -> Style:
        return Style.null()


def styled(text: str, style: str) -> Text:
    """Text in one of ``STYLES``."""
    return Text(text, Style.parse(STYLES[style]))
