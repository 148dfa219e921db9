"""The screen on the terminal: prompt_toolkit's application around ``ScreenModel``. It lives in the prompt's thread.

Owns the widgets, the key and mouse bindings, and the input line below the panes with its modes: a command, the answer
to a question, a text to search for, a line number. Requests of the user go out through ``Requests``.
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.bindings.named_commands import get_by_name
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    UIContent,
    UIControl,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import Output
from prompt_toolkit.utils import get_cwidth

from jdbpy.cli.repl.prompt_state import PromptState, prompt_text, shorten, toolbar
from jdbpy.cli.screen.fragments import fitted
from jdbpy.cli.screen.keys import IN_RECORDED_CALL, KEYS, KeyRow, bottom, help_lines
from jdbpy.cli.screen.layout import OUTPUT, PANES, SOURCE
from jdbpy.cli.screen.look import STYLE
from jdbpy.cli.screen.model import ScreenModel, beside
from jdbpy.cli.screen.panes import Action
from jdbpy.escape import escape

REPAINT = 0.04
"""Seconds between two redraws, however many updates come in."""

RESIZE = 0.2
"""Seconds between two checks of the window's size: the signal for a change goes to the main thread only."""

ANSWER = 12
"""Columns for an answer behind its question."""

TWICE = 0.4
"""Seconds within which a second click makes a double click."""


class Requests(Protocol):
    """Callbacks of the screen; called in the prompt's thread."""

    def line(self, text: str, *, by_key: bool) -> None:
        """Run a line."""

    def answer(self, text: str) -> None:
        """The answer to the question that is asked."""

    def open(self, kind: str, path: str) -> None:
        """Open, close, or show more of a variable."""

    def interrupt(self) -> None:
        """Ctrl-C."""

    def panic(self) -> None:
        """Ctrl-X Ctrl-R."""

    def end(self) -> None:
        """Ctrl-D."""

    def pressed(self) -> None:
        """Some key was pressed."""


class ScreenApplication:
    """One screen on one terminal; ``application`` is prompt_toolkit's."""

    def __init__(
        self,
        model: ScreenModel,
        requests: Requests,
        *,
        input: Input,
        output: Output,
        history: History,
        completer: Completer,
    ) -> None:
        self.model = model
        if model.focus == "prompt":
            model.focus = SOURCE
        self.prompt_state = PromptState()
        self._pane_after = ""  # the pane that has the keys again after one command
        self.question = ""
        """The question to the user; an answer goes to ``Requests.answer``."""
        self._requests = requests
        self._mode = ""  # what the small line is for: search, goto, quit, answer; "" for a command
        self._message = ""
        self._helping = False
        self._help_top = 0
        self._clicked = (0.0, -1, -1)
        self._commands = Buffer(
            history=history,
            completer=completer,
            complete_while_typing=False,
            multiline=False,
            accept_handler=self._accept,
            name="screen-command",
        )
        self._answers = Buffer(
            history=InMemoryHistory(), multiline=False, accept_handler=self._answered, name="screen-answer"
        )
        self._body = Window(_Body(self), wrap_lines=False, always_hide_cursor=True)
        self._command_window = Window(
            BufferControl(self._commands, input_processors=[BeforeInput(self._prompt)]), height=1, wrap_lines=False
        )
        self._answer_window = Window(
            BufferControl(self._answers, input_processors=[BeforeInput(self._question_text)]),
            height=lambda: Dimension.exact(self._question_rows()),
            wrap_lines=True,
        )
        asking = Condition(lambda: bool(self._mode))
        helping = Condition(lambda: self._helping)
        rows = HSplit(
            [
                self._body,
                ConditionalContainer(self._command_window, ~asking),
                ConditionalContainer(self._answer_window, asking),
                Window(FormattedTextControl(self._bottom), height=1, style="class:keys", wrap_lines=False),
            ]
        )
        floats = [
            Float(CompletionsMenu(max_height=10, scroll_offset=1), xcursor=True, ycursor=True),
            Float(
                ConditionalContainer(
                    Window(
                        FormattedTextControl(self._help),
                        width=lambda: Dimension.exact(min(84, self.columns)),
                        height=lambda: Dimension.exact(min(len(self._help_rows()), self.height - 2)),
                        style="class:help",
                        wrap_lines=False,
                    ),
                    helping,
                )
            ),
        ]
        self.application: Application[None] = Application(
            Layout(FloatContainer(rows, floats), focused_element=self._body),
            key_bindings=self._bindings(helping),
            style=STYLE,
            full_screen=True,
            mouse_support=True,
            input=input,
            output=output,
            min_redraw_interval=REPAINT,
            max_render_postpone_time=REPAINT,
            refresh_interval=1.0,
            terminal_size_polling_interval=RESIZE,
            enable_page_navigation_bindings=False,
        )
        self.application.ttimeoutlen = 0.03  # Escape is the beginning of arrows, and of Alt with a key
        self.application.timeoutlen = 0.1
        self.application.key_processor.before_key_press += lambda _: requests.pressed()

    @property
    def columns(self) -> int:
        """Return the columns of the window."""
        return self.application.output.get_size().columns

    @property
    def height(self) -> int:
        """Return the rows of the window."""
        return self.application.output.get_size().rows

    def resized(self) -> None:
        """Redraw everything: the window has changed."""
        if self.application.is_running:
            self.application.renderer.clear()
            self.application.invalidate()

    def say(self, text: str) -> None:
        """Show a sentence on the bottom line until the next key."""
        self._message = text

    def ask(self, question: str) -> None:
        """Ask the user, who answers on the line below the panes."""
        self.question = question
        self._begin("answer")

    def unask(self) -> None:
        """Withdraw the question."""
        if self._mode == "answer":
            self._finish()

    # What is drawn

    def _prompt(self) -> StyleAndTextTuples:
        style = "class:prompt" if self.prompt_state.thread or self.prompt_state.asks else "class:prompt.idle"
        return [(style, prompt_text(self.prompt_state, self.columns))]

    def _question_text(self) -> StyleAndTextTuples:
        return [("class:prompt", self._wrapped_question())]

    def _question_rows(self) -> int:
        """Return how many rows the question takes, with the beginning of an answer."""
        return (get_cwidth(self._wrapped_question()) + ANSWER - 1) // max(1, self.columns) + 1

    def _wrapped_question(self) -> str:
        """Return the question, each row but the last filled with spaces; at most a third of the window."""
        words = {
            "search": "search: ",
            "goto": "go to line: ",
            "quit": "leave the debugger? [y/N] ",
            "answer": self.question,
        }
        columns = max(10, self.columns)
        most = max(1, self.height // 3) * columns - ANSWER
        text = shorten(words.get(self._mode, ""), max(10, most))
        *rows, last = textwrap.wrap(text, columns) or [""]
        space = " " if text.endswith(" ") else ""
        return "".join(row.ljust(columns) for row in rows) + last + space

    def _bottom(self) -> StyleAndTextTuples:
        columns = self.columns
        if self._message:
            return [*fitted([("class:message", f" {self._message}")], columns, fill="class:message")]
        state = self.prompt_state.replace(thread="", place="")
        left = []
        for segment in toolbar(state, columns * 2 // 3, time.monotonic()):
            left.append((f"class:keys.{segment.kind}", f" {segment.text} "))
        used = sum(len(text) for _, text in left)
        return [*beside(left, bottom(columns - used - 1, self.model.state.shown_is), columns)]

    def _help_rows(self) -> list[StyleAndTextTuples]:
        columns = min(84, self.columns)
        return [[*fitted(line, columns, fill="")] for line in help_lines(columns)]

    def _help(self) -> StyleAndTextTuples:
        rows = self._help_rows()
        height = max(1, self.height - 2)
        self._help_top = max(0, min(self._help_top, len(rows) - height))
        found: StyleAndTextTuples = []
        for row in rows[self._help_top : self._help_top + height]:
            found += [*row, ("", "\n")]
        return found[:-1]

    # Requests

    def act(self, action: Action | None) -> None:
        """Carry out the action of a key or a click."""
        if action is None:
            return
        match action.kind:
            case "line":
                self._requests.line(action.text, by_key=True)
            case "open" | "close" | "more":
                self._requests.open(action.kind, action.text)
            case "type":
                self._commands.text = action.text
                self._commands.cursor_position = len(action.text)
                self.focus_prompt(once=True)
            case "say":
                self.say(action.text)

    def focus_prompt(self, *, once: bool = False) -> None:
        """Focus the command line; for one command only, the focus then goes back to the current pane."""
        self._pane_after = self.model.focus if once and self.model.focus != "prompt" else ""
        self.model.focus = "prompt"
        self.application.layout.focus(self._command_window)

    def focus_panes(self, name: str = "") -> None:
        """Focus a pane."""
        if name:
            self.model.focus_on(name)
        elif self.model.focus == "prompt":
            self.model.focus = SOURCE
        self.application.layout.focus(self._body)

    def _accept(self, buffer: Buffer) -> bool:
        self._requests.line(buffer.text, by_key=False)
        if self._pane_after:
            self.focus_panes(self._pane_after)
        return False

    def _begin(self, mode: str) -> None:
        self._mode = mode
        self._answers.reset()
        self.application.layout.focus(self._answer_window)

    def _finish(self) -> None:
        self._mode = ""
        self._answers.reset()
        if self.model.focus == "prompt":
            self.application.layout.focus(self._command_window)
        else:
            self.application.layout.focus(self._body)

    def _answered(self, buffer: Buffer) -> bool:
        mode, text = self._mode, buffer.text
        self._finish()
        source = self.model.source
        if mode == "answer":
            self._requests.answer(text)
        elif mode == "search" and not source.search(text):
            self.say(f"no line has '{escape(text)}'")
        elif mode == "goto" and text.strip().isdecimal():
            source.go_to(int(text))
        elif mode == "goto" and text.strip():
            self.say(f"'{escape(text)}' is not a number of a line")
        elif mode == "quit" and text.strip().lower() in ("y", "yes"):
            self._requests.line("quit", by_key=False)
        return False

    # Keys

    def _bindings(self, helping: Condition) -> KeyBindings:
        bindings = KeyBindings()
        in_panes = has_focus(self._body) & ~helping
        at_prompt = has_focus(self._commands)
        answering = has_focus(self._answers)
        for row in KEYS:
            for key in row.keys:
                bindings.add(key, filter=in_panes)(partial(self._press, row))
            for key in row.everywhere:
                bindings.add(key, filter=~helping & ~answering)(partial(self._press, row))
        moves: dict[str, Callable[[], object]] = {
            "up": lambda: self.model.pane.move(-1),
            "down": lambda: self.model.pane.move(1),
            "k": lambda: self.model.pane.move(-1),
            "j": lambda: self.model.pane.move(1),
            "pageup": lambda: self.model.pane.page(-1),
            "pagedown": lambda: self.model.pane.page(1),
            "c-u": lambda: self.model.pane.page(-1),
            "c-f": lambda: self.model.pane.page(1),
            "home": lambda: self.model.pane.ends(last=False),
            "end": lambda: self.model.pane.ends(last=True),
            "G": lambda: self.model.pane.ends(last=True),
            "left": lambda: self.act(self.model.pane.aside(-1)),
            "right": lambda: self.act(self.model.pane.aside(1)),
        }
        for key, move in moves.items():
            bindings.add(key, filter=in_panes)(partial(self._move, move))
        output = self.model.panes[OUTPUT]
        bindings.add("pageup", filter=at_prompt)(partial(self._move, lambda: output.page(-1)))
        bindings.add("pagedown", filter=at_prompt)(partial(self._move, lambda: output.page(1)))
        bindings.add("c-d", filter=in_panes)(lambda event: self._begin("quit"))
        bindings.add("c-z", filter=in_panes | at_prompt)(lambda event: event.app.suspend_to_background())

        @bindings.add("<any>", filter=helping)
        def close_help(event: KeyPressEvent) -> None:
            self._helping = False

        for key, by in (("up", -1), ("down", 1), ("pageup", -10), ("pagedown", 10)):
            bindings.add(key, filter=helping)(partial(self._scroll_help, by))

        @bindings.add("escape", filter=at_prompt)
        def to_panes(event: KeyPressEvent) -> None:
            self.focus_panes()

        @bindings.add("tab", filter=at_prompt)
        def complete(event: KeyPressEvent) -> None:
            get_by_name("menu-complete").call(event)

        @bindings.add("c-c", filter=at_prompt)
        def clear_or_interrupt(event: KeyPressEvent) -> None:
            if event.current_buffer.text:
                event.current_buffer.reset()
            else:
                self._requests.interrupt()

        @bindings.add("c-d", filter=at_prompt & Condition(lambda: not self._commands.text))
        def end(event: KeyPressEvent) -> None:
            self._requests.end()

        @bindings.add("c-x", "c-r", filter=in_panes | at_prompt)
        def resume_everything(event: KeyPressEvent) -> None:
            self._requests.panic()

        for key in ("escape", "c-c", "c-d"):
            bindings.add(key, filter=answering)(self._give_up)
        return bindings

    def _give_up(self, event: KeyPressEvent) -> None:
        mode = self._mode
        self._finish()
        if mode == "answer":
            self._requests.answer("")

    def _move(self, move: Callable[[], object], event: KeyPressEvent) -> None:
        self._message = ""
        move()

    def _scroll_help(self, by: int, event: KeyPressEvent) -> None:
        self._help_top += by

    def _press(self, row: KeyRow, event: KeyPressEvent) -> None:
        self._message = ""
        if self.model.state.recorded and (line := IN_RECORDED_CALL.get(row.name)):
            self._requests.line(line, by_key=True)
        elif row.line:
            self._requests.line(row.line, by_key=True)
        else:
            self._do(row.name, event)

    def _do(self, name: str, event: KeyPressEvent) -> None:
        model = self.model
        source = model.source
        match name:
            case "toggle":
                self.act(source.toggle())
            case "switch":
                self.act(source.switch())
            case "here":
                self.act(source.run_here())
            case "pause":
                self._requests.interrupt()
            case "search" | "goto":
                self._begin(name)
            case "leave":
                self._begin("quit")
            case "again" | "back":
                if not source.search("", back=name == "back"):
                    self.say(f"no line has '{escape(source.pattern)}'" if source.pattern else "'/' searches first")
            case "current" if source.shown.current is not None:
                source.go_to(source.shown.current)
            case "current" if not model.state.runs:
                self._requests.line("list", by_key=True)
            case "watch":
                self.act(Action("type", "display "))
            case "delete" if model.focus == "watches":
                self.act(model.watches.delete())
            case "enter":
                self.act(model.pane.enter())
            case "types":
                model.variables.with_types = not model.variables.with_types
            case "packages":
                model.variables.with_packages = not model.variables.with_packages
            case "turn" | "return":
                model.turn(1 if name == "turn" else -1)
            case "pane":
                self._pane(int(event.data))
            case "hide":
                model.show(model.focus, False)
            case "zoom":
                model.zoom()
            case "larger" | "smaller":
                model.resize(model.focus, 1 if name == "larger" else -1)
            case "narrower" | "wider":
                model.resize(SOURCE, -2 if name == "narrower" else 2)
            case "prompt":
                if model.focus == "prompt":
                    self.focus_panes()
                else:
                    self.focus_prompt(once=True)
            case "redraw":
                self.application.renderer.clear()
            case "help":
                self._helping, self._help_top = True, 0

    def _pane(self, number: int) -> None:
        names = [*PANES, *(name for name in self.model.panes if name not in PANES)]
        if number > len(names):
            return
        self.focus_panes(names[number - 1])

    # The mouse

    def mouse(self, event: MouseEvent) -> None:
        """Take a click or the wheel on the panes."""
        column, row = event.position.x, event.position.y
        if event.event_type is MouseEventType.SCROLL_UP:
            self.model.wheel(column, row, -1)
        elif event.event_type is MouseEventType.SCROLL_DOWN:
            self.model.wheel(column, row, 1)
        elif event.event_type is MouseEventType.MOUSE_DOWN and event.button in (MouseButton.LEFT, MouseButton.NONE):
            self._message = ""
            now = time.monotonic()
            twice = now - self._clicked[0] < TWICE and self._clicked[1:] == (column, row)
            self._clicked = (0.0, -1, -1) if twice else (now, column, row)
            self.application.layout.focus(self._body)
            self.act(self.model.click(column, row, twice=twice))


class _Body(UIControl):
    """The panes, as prompt_toolkit's window shows them."""

    def __init__(self, screen: ScreenApplication) -> None:
        self._screen = screen

    def is_focusable(self) -> bool:
        return True

    def create_content(self, width: int, height: int) -> UIContent:
        rows = self._screen.model.rows(width, height)
        return UIContent(
            lambda line: [*rows[line]], line_count=len(rows), cursor_position=Point(0, 0), show_cursor=False
        )

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        self._screen.mouse(mouse_event)
