"""The look of the screen: the style of each class of text.

Colors are those of the terminal's own palette, which fit a dark and a light background; without colors bold, reversed,
dim and underlined text remain.
"""

from __future__ import annotations

from prompt_toolkit.styles import Attrs, Style

FAINT = "dim" if "dim" in Attrs._fields else ""

STYLE = Style.from_dict(
    {
        "border": FAINT,
        "title": "bold",
        "title.focused": "reverse bold",
        "faint": FAINT,
        "lineno": FAINT,
        "marker": "ansigreen bold",
        "breakpoint": "ansired bold",
        "logpoint": "ansimagenta bold",
        "current": "reverse",
        "cursor": "reverse",
        "values": "ansicyan italic",
        "found": "reverse",
        "name": "",
        "type": "ansicyan",
        "value": "",
        "string": "ansigreen",
        "changed": "ansimagenta bold",
        "chosen": "bold",
        "error": "ansired",
        "prompt": "bold",
        "prompt.idle": "",
        "echo": "bold",
        "keys": "",
        "keys.key": "bold",
        "keys.state": "reverse bold",
        "keys.held": "reverse",
        "keys.remote": "reverse",
        "keys.alarm": "bg:ansired fg:ansiwhite bold",
        "message": "bold",
        "help": "reverse",
        "help.title": "bold",
        "help.key": "bold",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion": "reverse",
        "completion-menu.completion.current": "noreverse bold",
        "completion-menu.meta.completion": "reverse",
        "completion-menu.meta.completion.current": "noreverse",
        "scrollbar.background": "reverse",
        "scrollbar.button": "noreverse",
    }
)
