"""How the prompt's parts look: styles of the toolbar, and the terminal as prompt_toolkit is to see it.

Only the 16 colors of the terminal's own palette and its reversed default are used: they are readable on light and on
dark backgrounds because their owner chose them.
"""

from __future__ import annotations

from typing import TextIO

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

STYLE = Style.from_dict(
    {
        "bottom-toolbar": "reverse",
        "toolbar.state": "bold",
        "toolbar.thread": "bold",
        "toolbar.alarm": "noreverse bg:ansired fg:ansiwhite bold",
        "prompt": "bold",
        "prompt.idle": "",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion": "reverse",
        "completion-menu.completion.current": "noreverse bold",
        "completion-menu.meta.completion": "reverse",
        "completion-menu.meta.completion.current": "noreverse",
        "scrollbar.background": "reverse",
        "scrollbar.button": "noreverse",
    }
)


class InlineOutput(Vt100_Output):
    """A terminal that is never asked where its cursor is.

    prompt_toolkit asks before each prompt, to put the toolbar at the very bottom of the screen; it then waits for the
    answer before every print above the prompt, warns about terminals that give none, and hides the toolbar meanwhile.
    Told that there is one row left, it draws the toolbar right below the line that is typed.
    """

    def get_rows_below_cursor_position(self) -> int:
        return 1

    @property
    def responds_to_cpr(self) -> bool:
        return False


def inline_output(stdout: TextIO, *, color: bool) -> InlineOutput:
    """The terminal behind ``stdout``; without color, bold and reversed text remain."""
    depth = ColorDepth.DEPTH_4_BIT if color else ColorDepth.DEPTH_1_BIT
    output = InlineOutput.from_pty(stdout, default_color_depth=depth)
    assert isinstance(output, InlineOutput)
    return output
