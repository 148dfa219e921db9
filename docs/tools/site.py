"""What differs between a page in the repository and in the site, as a hook of MkDocs."""

from __future__ import annotations

import re
from typing import Any

_COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
_OUTSIDE = re.compile(r"\[([^\]\n]+)\]\(\.\./([^)\n]+)\)")


def on_page_markdown(markdown: str, **given: Any) -> str:
    """Return a page of the site.

    A link that leaves the pages for another file of the repository is its text alone, with the path as a tooltip: the
    site does not have that file. The title comes first, as MkDocs takes another one if a comment does.
    """
    return _OUTSIDE.sub(r'<abbr title="\2">\1</abbr>', _COMMENT.sub("", markdown))
