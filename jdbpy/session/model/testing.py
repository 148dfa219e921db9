"""What is told of a test that fails, as plain data."""

from __future__ import annotations

from typing import Annotated

from jdbpy.record import Record
from jdbpy.session.model.threads import Location


class FailedTest(Record):
    """A test that an exception leaves. Of what it compared, the texts that the exception has."""

    json_name = "failed_test"

    name: Annotated[str, "Class.method of the test, or of what is run before and after it"]
    framework: Annotated[str, "JUnit 5, JUnit 4, JUnit 3, TestNG, Spock, ScalaTest, Kotest or clojure.test"]
    depth: Annotated[int, "the number of its frame, counted from 1, the innermost"]
    expected: Annotated[str | None, "the value that the assertion expected"] = None
    actual: Annotated[str | None, "the value that it found"] = None
    first_thrown: Annotated[Location | None, "where it was thrown, if the stop is where it was thrown again"] = None
    time_limit: Annotated[str, "a time limit that runs while the test stands"] = ""

    @property
    def is_compared(self) -> bool:
        """True if it is known what was expected, or what was found."""
        return self.expected is not None or self.actual is not None
