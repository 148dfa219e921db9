"""Source code in colors: the lines of a window with their numbers, ``=>`` before the current one.

Owns the highlighting of a few lines out of the middle of a file. The text is that of the plain renderer.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from rich.style import Style
from rich.syntax import Syntax, SyntaxTheme
from rich.text import Text

from jdbpy import SourceWindow
from jdbpy.cli.output.pieces import STYLES
from jdbpy.cli.output.plain import code_of

_LANGUAGES = {".kt": "kotlin", ".scala": "scala", ".groovy": "groovy", ".clj": "clojure"}
"""Languages by the ending of a file; anything else is shown as Java."""


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


def source_texts(window: SourceWindow, columns: int | None = None) -> list[Text]:
    """Return one text a line, as ``plain.source_lines`` words them, cut at ``columns``."""
    width = max((len(str(number)) for number, _ in window.lines), default=1)
    codes = highlighted(code_of(window, columns), window.name)
    texts: list[Text] = []
    for (number, _), code in zip(window.lines, codes, strict=True):
        here = number == window.current
        mark = Text("=> ", STYLES["marker"]) if here else Text("   ")
        text = Text.assemble(mark, Text(f"{number:>{width}}", STYLES["name" if here else "faint"]), "  ", code)
        text.rstrip()
        if columns is not None:
            text.truncate(columns, overflow="ellipsis")
        texts.append(text)
    return texts


def highlighted(lines: Sequence[str], name: str) -> list[Text]:
    """Lines of code in colors, one text each. ``name`` is the file's, for the language."""
    language = _LANGUAGES.get(os.path.splitext(name)[1].lower(), "java")
    opening = "/*" if _begins_in_comment(lines) else ""
    text = opening + "\n".join(lines)
    closing = "*/" if text.rfind("/*") > text.rfind("*/") else ""
    code = Syntax("", language, theme=CodeTheme()).highlight(text + closing)[len(opening) : len(text)]
    texts = list(code.split("\n", allow_blank=True))
    return (texts + [Text() for _ in lines])[: len(lines)]


def _begins_in_comment(lines: Sequence[str]) -> bool:
    """True if a comment that began above the first line goes on in it: its end is seen before any beginning."""
    text = "\n".join(lines)
    end, begin = text.find("*/"), text.find("/*")
    if end >= 0:
        return begin < 0 or end < begin
    return all(line.lstrip().startswith("*") or not line.strip() for line in lines) and bool(text.strip())
