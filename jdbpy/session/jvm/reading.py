"""Runs many readers side by side, so that all they ask for at one moment leaves in one batch: a wave.

A reader is a coroutine that is written as if it were alone: it awaits an answer, goes on, awaits the next. The driver
runs every reader as far as it gets, hands all open questions to ``answer`` at once, and goes on with the answers: a
structure of depth n costs n waves, however wide it is. (The data loaders of GraphQL servers do the same.)

Nothing here knows JDWP: a question is any object, and its answer is what ``answer`` returns for it, or an exception to
be raised where the question was asked. A reading may await nothing but ``ask`` and what is made of it here: ``gather``
for several, ``start`` for one that is not waited for, ``SingleFlight`` for one that several ask for.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
U = TypeVar("U")
Reading = Coroutine[Any, Any, T]
"""The result of calling a reader function."""
Answer = Callable[[list[Any]], Awaitable[list[Any]]]


@types.coroutine
def ask(question: object) -> Generator[object, Any, Any]:
    """Ask one question and wait for its answer, which comes with the next wave."""
    return (yield question)


async def gather(readings: Iterable[Reading[T]]) -> list[T]:
    """Runs readings side by side and gives their results in order. The first error is raised when all have ended."""
    children = _Children(list(readings))
    return list(await ask(children)) if children.readings else []


async def read_both(first: Reading[T], second: Reading[U]) -> tuple[T, U]:
    """``gather`` for two readings of different kinds."""
    one, two = await gather([cast("Reading[Any]", first), cast("Reading[Any]", second)])
    return one, two


async def start(reading: Reading[Any]) -> None:
    """Start a reading beside this one, which goes on without it. An error of the new one ends the whole drive."""
    await ask(_Beside(reading))


class SingleFlight:
    """Readings that are run once for each key, whatever asks, side by side or later. For one drive."""

    def __init__(self) -> None:
        self._begun: dict[Hashable, _Shared] = {}

    async def read(self, key: Hashable, begin: Callable[[], Reading[T]]) -> T:
        """Return the result of the reading that was begun for the key, or raise its error."""
        shared = self._begun.get(key)
        if shared is None:
            shared = self._begun[key] = _Shared(begin())
        result: T = await ask(shared)
        return result


_Begun = Sequence["tuple[_Task, Any]"]
"""Readings that go on now, with the value that they get."""


class _Control:
    """A question that the driver itself answers, by running further readings."""

    def begin(self, asker: _Task) -> _Begun:
        """Return what runs first, the asker among it if it need not wait."""
        raise NotImplementedError

    def deliver(self, place: int, ended: _Ended) -> _Begun:
        """Take the end of the reading in that place; return what goes on."""
        raise NotImplementedError


class _Children(_Control):
    """The question that starts further readings; its answer is their results."""

    def __init__(self, readings: list[Reading[Any]]) -> None:
        self.readings = readings
        self.results: list[Any] = [None] * len(readings)
        self.error: BaseException | None = None
        self._missing = len(readings)
        self._asker: _Task | None = None

    def begin(self, asker: _Task | None) -> _Begun:
        self._asker = asker
        return [(_Task(reading, self, place), None) for place, reading in enumerate(self.readings)]

    def deliver(self, place: int, ended: _Ended) -> _Begun:
        self.results[place] = ended.result
        self.error = self.error or ended.error
        self._missing -= 1
        if self._missing or self._asker is None:
            return ()
        return ((self._asker, self.error or self.results),)


class _Beside(_Control):
    """The question that starts a reading and is answered at once."""

    def __init__(self, reading: Reading[Any]) -> None:
        self._reading = reading

    def begin(self, asker: _Task) -> _Begun:
        return (asker, None), (_Task(self._reading, self, 0), None)

    def deliver(self, place: int, ended: _Ended) -> _Begun:
        if ended.error is not None:
            raise ended.error
        return ()


class _Shared(_Control):
    """The question that one reading answers for all that ask it."""

    def __init__(self, reading: Reading[Any]) -> None:
        self._reading = reading
        self._waiting: list[_Task] | None = None  # None before it is begun
        self._ended: _Ended | None = None

    def begin(self, asker: _Task) -> _Begun:
        if self._ended is not None:
            return ((asker, self._ended.error or self._ended.result),)
        if self._waiting is not None:
            self._waiting.append(asker)
            return ()
        self._waiting = [asker]
        return ((_Task(self._reading, self, 0), None),)

    def deliver(self, place: int, ended: _Ended) -> _Begun:
        self._ended = ended
        return [(task, ended.error or ended.result) for task in self._waiting or ()]


class _Task:
    """A reading under way, and what takes its result: ``parent``, in which it has a place."""

    __slots__ = ("parent", "place", "reading")

    def __init__(self, reading: Reading[Any], parent: _Control, place: int) -> None:
        self.reading = reading
        self.parent = parent
        self.place = place


class Drive(Generic[T]):
    """A reading under way, for who brings the answers: ``questions`` are those of one wave, none at the end."""

    def __init__(self, main: Reading[T]) -> None:
        self._root = _Children([main])
        self._live: set[Reading[Any]] = {main}
        self._asked: list[tuple[_Task, object]] = []
        self._run(deque(self._root.begin(None)))

    @property
    def questions(self) -> list[Any]:
        return [question for _, question in self._asked]

    def answer(self, answers: Sequence[Any]) -> None:
        """Go on with as many answers as there are ``questions``, up to the next ones or the end."""
        self._run(deque((task, value) for (task, _), value in zip(self._asked, answers, strict=True)))

    def result(self) -> T:
        """Return what the reading gave, once nothing is asked any more. Raises what it raised."""
        if self._root.error is not None:
            raise self._root.error
        result: T = self._root.results[0]
        return result

    def close(self) -> None:
        """End what has not ended."""
        for reading in self._live:
            reading.close()

    def _run(self, ready: deque[tuple[_Task, Any]]) -> None:
        self._asked = []
        while ready:
            task, value = ready.popleft()
            question = _step(task, value)
            if isinstance(question, _Ended):
                self._live.discard(task.reading)
                ready.extend(task.parent.deliver(task.place, question))
            elif isinstance(question, _Control):
                begun = question.begin(task)
                self._live.update(each.reading for each, _ in begun)
                ready.extend(begun)
            else:
                self._asked.append((task, question))


async def drive(main: Reading[T], answer: Answer) -> T:
    """Run a reading to its end and return its result.

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
    """Run a reading up to its next question."""
    try:
        if isinstance(value, BaseException):
            return task.reading.throw(value)
        return task.reading.send(value)
    except StopIteration as stop:
        return _Ended(stop.value, None)
    except Exception as error:  # handed to the parent, which raises it where it gathered
        return _Ended(None, error)
