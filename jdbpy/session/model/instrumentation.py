"""The instrumentation of a session in the code of the target, as plain data."""

from __future__ import annotations

from typing import Annotated

from jdbpy.record import Record


class WovenClass(Record):
    """A class that runs checks of the debugger beside its own code."""

    class_name: str
    breakpoints: Annotated[tuple[int, ...], "whose conditions it computes; none: the checks wait to be taken out"]
    methods: tuple[str, ...]
    calls: Annotated[tuple[str, ...], "whose calls it observes itself: methods and patterns"] = ()
