"""The guided tour through the bundled program, as data, and the guide who leads a person through it.

Each step says what is about to be shown, names one command, and lists what must be on the screen once the command has
run and the target has stopped again. The same steps serve the tour that runs by itself and the one that is typed.
"""

from __future__ import annotations

from collections.abc import Callable

from jdbpy.record import Record


class Step(Record):
    """One command of the tour. ``shows`` are pieces of text that must come on the screen, in any order."""

    say: str
    line: str
    shows: tuple[str, ...]


START = "tbreak coffee.CoffeeBar.main"
"""The command that makes the program stop at the first line of its ``main``, where the tour begins."""

TOUR = (
    Step(
        "The program is stopped at the first line of main. This is the code around it.",
        "list",
        ("CoffeeBar bar = new CoffeeBar();", "bar.serve(customer);"),
    ),
    Step(
        "Stop where the till adds up an order. The class is not loaded yet, so the breakpoint waits for it.",
        "stop in coffee.Till.total",
        ("coffee.Till.total",),
    ),
    Step(
        "Let the program run until it gets there.",
        "cont",
        ("The bar is open.", "Till.total", "Till.java", "int sum = 0;"),
    ),
    Step(
        "How did it get there?",
        "where",
        ("coffee.Till.total", "coffee.CoffeeBar.serve", "coffee.CoffeeBar.main"),
    ),
    Step(
        "What does it work with?",
        "locals",
        ("this", "order", "order = Order"),
    ),
    Step(
        "Values are reached by paths; no code of the program runs for that.",
        "print order.customer.name",
        ('"Ada"',),
    ),
    Step(
        "Collections are shown by what is in them.",
        "print order.drinks",
        ("ESPRESSO", "CAPPUCCINO"),
    ),
    Step(
        "One line further: sum has its first value.",
        "next",
        ("for (Drink drink : order.drinks)",),
    ),
    Step(
        "Change it: Ada, who should pay 5.40, is going to be surprised.",
        "set sum = 1000",
        ("1000",),
    ),
    Step(
        "On to the next order. Watch what Ada pays.",
        "cont",
        ("Ada pays 14.40", "Till.total"),
    ),
    Step(
        "Two baristas brew meanwhile, each in a thread of its own.",
        "threads",
        ("Rosa", "Marco", "main"),
    ),
    Step(
        "Do not let the method count: make it return one euro. Ben should pay 9.80. (A prompt asks first: y.)",
        "return 100",
        ("100",),
    ),
    Step(
        "Enough: take the breakpoint away.",
        "clear coffee.Till.total",
        ("coffee.Till.total",),
    ),
    Step(
        "And let the bar close. Cleo's order is one that raises an exception; the program handles it.",
        "cont",
        ("Ben pays 1.00", "Cleo leaves", "Dan pays 3.15", "The bar is closed, the till holds 18.55"),
    ),
)

LAST_WORDS = """\
That was the tour. On a program of yours:
  jdbpy launch -cp CLASSES com.acme.Main             start it under the debugger
  jdbpy attach 5005                                  or attach to one that was started with
      java -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005 ...
"""


_GOING_ON = ("cont", "run")

REMINDER = 3
"""After so many other commands the step that is due is suggested again."""


class Guide:
    """Leads a person at the prompt through the steps: says the next one when the last has been done.

    ``canonical`` gives a command line the spelling by which two of the same meaning are equal ("c" and "cont").
    """

    first_lines = (START, "run")
    """Commands to run before the first prompt; the last of them brings the target to where the tour begins."""

    def __init__(self, canonical: Callable[[str], str], steps: tuple[Step, ...] = TOUR) -> None:
        self._canonical = canonical
        self._steps = steps
        self._lines = (self.first_lines[-1], *(step.line for step in steps))
        self._done = 0  # of these lines
        self._others = 0  # commands since then that are no step

    @property
    def finished(self) -> bool:
        """True if the person has taken every step."""
        return self._done == len(self._lines)

    def greeting(self) -> str:
        """Return what to say before anything else."""
        return (
            f"This is a small Java program, and a tour in {len(self._steps)} steps. Type what it suggests, or "
            "whatever you like: it waits. 'help' lists the commands, 'quit' leaves.\n"
        )

    def begin_again(self) -> None:
        """The program is about to be started once more: lead from the first step on, unless the last was taken."""
        if not self.finished:
            self._done = self._others = 0

    def after(self, line: str, ended: bool = False) -> str:
        """Return what to say after a command that succeeded: the next step, or after the last one how to go on.

        ``ended``: the program has ended. A later step up to the next ``cont`` is accepted, and the tour goes on behind
        it; one behind that has to wait, since what it shows is not there yet. After a few other commands the step that
        is due is suggested again; "" where there is nothing to say.
        """
        if self.finished:
            return ""
        typed = self._canonical(line)
        for number in range(self._done, len(self._lines)):
            step = self._canonical(self._lines[number])
            if typed == step or (typed in _GOING_ON and step in _GOING_ON):
                if ended != (number == len(self._lines) - 1):  # it went past a stop, or came to one more
                    return "" if ended else self._suggestion()
                self._done, self._others = number + 1, 0
                return self._suggestion()
            if step in _GOING_ON:
                break
        self._others += 1
        return self._suggestion() if self._done and not ended and self._others % REMINDER == 0 else ""

    def _suggestion(self) -> str:
        if self.finished:
            return f"\n{LAST_WORDS}"
        step = self._steps[self._done - 1]
        return f"\n{self._done}/{len(self._steps)}  {step.say}\n      type: {step.line}\n"
