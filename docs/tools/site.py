"""What differs between a page in the repository and in the site, as hooks of MkDocs.

The site has the files besides ``docs/`` that its pages link to, too: SECURITY.md, CONTRIBUTING.md, CHANGELOG.md, and
the scripts of ``examples/`` on one page. A link to anything else outside is its text alone there.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

OUTSIDE = {
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "examples/README.md": "examples.md",
}
"""Files of the repository, and the pages of the site that they are."""

_COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
_LINK = re.compile(r"(!?)\[([^\]\n]+)\]\(([^)#\n]*)(#[^)\n]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of files that are not in docs/."""
    from mkdocs.structure.files import File  # only where the site is built

    for name, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=text(name)))
    return files


def text(name: str) -> str:
    """Return a file of the repository as a page; that of the examples has the scripts behind it."""
    path = ROOT / name
    shown = path.read_text(encoding="utf-8")
    if path.parent.name == "examples":
        for script in sorted(path.parent.glob("*.py")):
            shown += f"\n## {script.name}\n\n```python\n{script.read_text(encoding='utf-8').rstrip()}\n```\n"
    return shown


def on_page_markdown(markdown: str, page: Any = None, **given: Any) -> str:
    """Return a page of the site.

    A link that leaves the pages for another file of the repository is its text alone, with the path as a tooltip,
    unless the site has that file. The title comes first, as MkDocs takes another one if a comment does.
    """
    written_as = {shown: name for name, shown in OUTSIDE.items()}
    own = page.file.src_uri if page is not None else "index.md"
    folder = posixpath.dirname(written_as.get(own, f"docs/{own}"))

    def changed(link: re.Match[str]) -> str:
        image, label, target, anchor = link[1], link[2], link[3], link[4] or ""
        if not target or "://" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("docs/"):
            return f"{image}[{label}]({path.removeprefix('docs/')}{anchor})"
        if path == "examples":
            path = "examples/README.md"
        if folder == "examples" and path.endswith(".py"):
            return f"[{label}](#{posixpath.basename(path).replace('.', '')})"
        if path in OUTSIDE:
            return f"[{label}]({OUTSIDE[path]}{anchor})"
        return f'<abbr title="{path}">{label}</abbr>'

    return _outside_code(markdown, changed)


def _outside_code(markdown: str, changed: Any) -> str:
    """Return the page with its links changed, those in blocks of code as they are."""
    pieces = re.split(r"(^```.*?^```$)", _COMMENT.sub("", markdown), flags=re.MULTILINE | re.DOTALL)
    return "".join(piece if piece.startswith("```") else _LINK.sub(changed, piece) for piece in pieces)
