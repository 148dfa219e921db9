"""What keys do at the prompt beyond line editing: Ctrl-C and Ctrl-Z's neighbors.

At a prompt the terminal is in raw mode, where Ctrl-C is a key like any other; while a command runs it is a signal (see
``signals``). Both come to the same decision.
"""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


def key_bindings(interrupt: Callable[[], object], panic: Callable[[], object] = lambda: None) -> KeyBindings:
    """Ctrl-C clears a line that has text, else calls ``interrupt``; Ctrl-X Ctrl-R calls ``panic``. The prompt stays."""
    bindings = KeyBindings()

    @bindings.add("c-x", "c-r", filter=has_focus(DEFAULT_BUFFER))
    def resume_everything(event: KeyPressEvent) -> None:
        panic()

    @bindings.add("c-c", filter=has_focus(DEFAULT_BUFFER))
    def clear_or_interrupt(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            interrupt()

    return bindings
