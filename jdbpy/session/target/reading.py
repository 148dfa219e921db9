"""Runs many readers side by side, so that all they ask for at one moment leaves in one batch: a wave.

A reader is a coroutine that is written as if it were alone: it awaits an answer, goes on, awaits the next. The driver
runs every reader as far as it gets, hands all open questions to ``answer`` at once, and goes on with the answers: a
structure of depth n costs n waves, however wide it is. (The data loaders of GraphQL servers do the same.)

Nothing here knows JDWP: a question is any object, and its answer is what ``answer`` returns for it, or an exception to
be raised where the question was asked. A reader may await nothing but ``ask`` and ``gather``.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Sequence
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
U = TypeVar("U")
Reading = Coroutine[Any, Any, T]
"""What calling a reader function gives."""
Answer = Callable[[list[Any]], Awaitable[list[Any]]]


@types.coroutine
def ask(question: object) -> Generator[object, Any, Any]:
    """Asks one question and waits for its answer, which comes with the next wave."""
    return (yield question)


async def gather(readings: Iterable[Reading[T]]) -> list[T]:
    """Runs readings side by side and gives their results in order. The first error is raised when all have ended."""
    children = _Children(list(readings))
    return list(await ask(children)) if children.readings else []


async def read_both(first: Reading[T], second: Reading[U]) -> tuple[T, U]:
    """``gather`` for two readings of different kinds."""
    one, two = await gather([cast("Reading[Any]", first), cast("Reading[Any]", second)])
    return one, two


class _Children:
    """The question that starts further readings; its answer is their results."""

    def __init__(self, readings: list[Reading[Any]]) -> None:
        self.readings = readings
        self.results: list[Any] = [None] * len(readings)
        self.missing = len(readings)
        self.error: BaseException | None = None


class _Task:
    """A reading under way, and where its result goes: a place among its parent's children."""

    __slots__ = ("family", "parent", "place", "reading")

    def __init__(self, reading: Reading[Any], parent: _Task | None, family: _Children, place: int) -> None:
        self.reading = reading
        self.parent = parent
        self.family = family
        self.place = place


class Drive(Generic[T]):
    """A reading under way, for who brings the answers: ``questions`` are those of one wave, none at the end."""

    def __init__(self, main: Reading[T]) -> None:
        self._family = _Children([main])
        self._live: set[Reading[Any]] = {main}
        self._asked: list[tuple[_Task, object]] = []
        self._run(deque([(_Task(main, None, self._family, 0), None)]))

    @property
    def questions(self) -> list[Any]:
        return [question for _, question in self._asked]

    def answer(self, answers: Sequence[Any]) -> None:
        """Goes on with as many answers as there are ``questions``, up to the next ones or the end."""
        self._run(deque((task, value) for (task, _), value in zip(self._asked, answers, strict=True)))

    def result(self) -> T:
        """Return what the reading gave, once nothing is asked any more. Raises what it raised."""
        if self._family.error is not None:
            raise self._family.error
        result: T = self._family.results[0]
        return result

    def close(self) -> None:
        """Ends what has not ended."""
        for reading in self._live:
            reading.close()

    def _run(self, ready: deque[tuple[_Task, Any]]) -> None:
        self._asked = []
        while ready:
            task, value = ready.popleft()
            question = _step(task, value)
            if isinstance(question, _Ended):
                self._live.discard(task.reading)
                ready.extend(_deliver(task, question))
            elif isinstance(question, _Children):
                self._live.update(question.readings)
                ready.extend((_Task(child, task, question, i), None) for i, child in enumerate(question.readings))
            else:
                self._asked.append((task, question))


async def drive(main: Reading[T], answer: Answer) -> T:
    """Runs a reading to its end and returns its result.

    ``answer`` gets the questions of one wave and returns as many answers. An error of its own ends everything.
    """
    running = Drive(main)
    try:
        while questions := running.questions:
            running.answer(await answer(questions))
    finally:
        running.close()
    return running.result()


class _Ended:
    """A reading has ended, with a result or an error."""

    def __init__(self, result: Any, error: Exception | None) -> None:
        self.result = result
        self.error = error


def _step(task: _Task, value: Any) -> object:
    """Runs a reading up to its next question."""
    try:
        if isinstance(value, BaseException):
            return task.reading.throw(value)
        return task.reading.send(value)
    except StopIteration as stop:
        return _Ended(stop.value, None)
    except Exception as error:  # handed to the parent, which raises it where it gathered
        return _Ended(None, error)


def _deliver(task: _Task, ended: _Ended) -> list[tuple[_Task, Any]]:
    """Puts a result in its place; gives the parent to go on with when it was the last."""
    family = task.family
    family.results[task.place] = ended.result
    family.error = family.error or ended.error
    family.missing -= 1
    if family.missing or task.parent is None:
        return []
    return [(task.parent, family.error or family.results)]
