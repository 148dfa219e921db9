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
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from typing import Any, TypeVar, cast

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


async def both(first: Reading[T], second: Reading[U]) -> tuple[T, U]:
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


async def drive(main: Reading[T], answer: Answer) -> T:
    """Runs a reading to its end and returns its result.

    ``answer`` gets the questions of one wave and returns as many answers. An error of its own ends everything.
    """
    family = _Children([main])
    ready: deque[tuple[_Task, Any]] = deque([(_Task(main, None, family, 0), None)])
    live = {main}
    try:
        while True:
            open_questions: list[tuple[_Task, object]] = []
            while ready:
                task, value = ready.popleft()
                question = _step(task, value)
                if isinstance(question, _Ended):
                    live.discard(task.reading)
                    ready.extend(_deliver(task, question))
                elif isinstance(question, _Children):
                    live.update(question.readings)
                    ready.extend((_Task(child, task, question, i), None) for i, child in enumerate(question.readings))
                else:
                    open_questions.append((task, question))
            if not open_questions:
                break
            answers = await answer([question for _, question in open_questions])
            ready.extend((task, value) for (task, _), value in zip(open_questions, answers, strict=True))
    finally:
        for reading in live:
            reading.close()
    if family.error is not None:
        raise family.error
    return family.results[0]  # type: ignore[no-any-return]


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
