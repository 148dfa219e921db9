"""The questions that readings ask, and one wave of them answered: what is asked at one moment goes out together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from jdbpy.errors import Disconnected, ProtocolError
from jdbpy.session.concurrency import together
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field, RefType
from jdbpy.session.jvm.types import TypeCache
from jdbpy.session.values.remembered import GivenObjects, Prefetched
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import TypeTag
from jdbpy.wire.ids import ObjectID, ReferenceTypeID
from jdbpy.wire.messages import (
    array_reference,
    object_reference,
    string_reference,
)

_FEW = 50
"""Commands of a wave among which equal ones are not looked for."""

_MOST_AT_ONCE = 10_000
"""Commands that are sent before the first of them is answered: what a cancelled wave leaves to the target."""


class AskCommands:
    """The question that is answered by one outcome for each command."""

    def __init__(self, commands: Sequence[Command[Any]]) -> None:
        self.commands = commands


class AskFacts:
    """The question that is answered when the type cache knows these facts of a type."""

    def __init__(self, type_id: ReferenceTypeID, wanted: Sequence[facts.Fact[ReferenceTypeID, Any]]) -> None:
        self.type_id = type_id
        self.wanted = wanted


class AskCall:
    """The question that a call of its own answers, beside the wave."""

    def __init__(self, call: Callable[[], Awaitable[Any]]) -> None:
        self.call = call


class AskBootClass:
    """The question for the type of that name that the boot loader defined."""

    def __init__(self, name: str) -> None:
        self.name = name


class Waves:
    """Answers the questions of one target's readings."""

    def __init__(self, conn: Connection, types: TypeCache, given: GivenObjects) -> None:
        self._conn = conn
        self._types = types
        self._given = given

    async def answer_with(self, prefetched: Prefetched, questions: list[Any], *, keeping: bool = False) -> list[Any]:
        """Like ``answer``, from what was prefetched where that has it."""
        known = [prefetched.answers(each.commands) if isinstance(each, AskCommands) else None for each in questions]
        asked = [each for each, answers in zip(questions, known, strict=True) if answers is None]
        told = await self.answer(asked) if asked else []
        for each, answers in zip(asked, told, strict=True) if keeping else ():
            if isinstance(each, AskCommands):
                prefetched.keep(each.commands, answers)
        rest = iter(told)
        return [next(rest) if answers is None else answers for answers in known]

    async def answer(self, questions: list[Any]) -> list[Any]:
        """Answers all questions of one moment: commands, and side by side with them what the type cache lacks."""
        commands = [command for each in questions if isinstance(each, AskCommands) for command in each.commands]
        wanted: dict[facts.Fact[ReferenceTypeID, Any], list[ReferenceTypeID]] = {}
        for each in questions:
            for fact in each.wanted if isinstance(each, AskFacts) else ():
                wanted.setdefault(fact, []).append(each.type_id)
        names = {each.name: signature_of(each.name) for each in questions if isinstance(each, AskBootClass)}
        calls = [each.call for each in questions if isinstance(each, AskCall)]
        (replies, found), *results = (
            await together(
                lambda: self._send(commands, wanted, list(names.values())), *(partial(_outcome, call) for call in calls)
            )
            if calls
            else [await self._send(commands, wanted, list(names.values()))]
        )
        outcomes, called = iter(replies), iter(results)
        answers: list[Any] = []
        for each in questions:
            if isinstance(each, AskCommands):
                answers.append([next(outcomes) for _ in each.commands])
            elif isinstance(each, AskCall):
                answers.append(next(called))
            elif isinstance(each, AskBootClass):
                answers.append(_class_among(found[names[each.name]]))
            else:
                answers.append(None)
        return answers

    async def _send(
        self,
        commands: list[Command[Any]],
        wanted: dict[facts.Fact[ReferenceTypeID, Any], list[ReferenceTypeID]],
        signatures: list[str],
    ) -> tuple[list[Any], dict[str, list[RefType]]]:
        """Return one wave: outcomes of the commands, and the types of the names. wire: 1 trip."""
        if not wanted and not signatures:
            return await self._batch(commands), {}
        replies, _, found = await together(
            lambda: self._batch(commands),
            lambda: self._types.facts.prefetch(*wanted.items()),
            lambda: self._types.by_signatures(signatures),
        )
        return replies, found

    async def _batch(self, commands: list[Command[Any]]) -> list[Any]:
        """Outcomes of the commands; equal ones are sent once. wire: 1 trip for each ``_MOST_AT_ONCE`` of them."""
        if len(commands) < _FEW:
            return await self._send_all(commands)
        different: dict[Any, Command[Any]] = {}
        keys: list[Any] = []
        for command in commands:
            key = _same(command)
            different.setdefault(key, command)
            keys.append(key)
        unlike = list(different.values())
        outcomes: list[Any] = []
        for start in range(0, len(unlike), _MOST_AT_ONCE):
            outcomes += await self._send_all(unlike[start : start + _MOST_AT_ONCE])
        if len(unlike) == len(commands):
            return outcomes
        told = dict(zip(different, outcomes, strict=True))
        return [told[key] for key in keys]

    async def _send_all(self, commands: list[Command[Any]]) -> list[Any]:
        """Outcomes of the commands. wire: 1 trip."""
        if not self._given:
            return await self._conn.batch(commands)
        pendings = self._conn.submit_all(commands)
        recalled = [each.done for each in pendings]  # the agent does not send these ids again
        outcomes = await self._conn.gather(pendings)
        for command, outcome, again in zip(commands, outcomes, recalled, strict=True):
            if not again:
                self._given.read(command, outcome)
        return outcomes


async def _outcome(call: Callable[[], Awaitable[Any]]) -> Any:
    """Return the result of a call, or the error in its place: that of one object spoils no other."""
    try:
        return await call()
    except Disconnected:
        raise
    except Exception as error:
        return error


def _same(command: Command[Any]) -> Any:
    """Return what equal commands of one wave have in common, many of which may be: many variables refer to
    one object.
    """
    match command:
        case object_reference.ReferenceType():
            return command.object
        case object_reference.GetValues():
            return command.object, *command.fields
        case string_reference.Value():
            return "text", command.stringObject
        case array_reference.Length():
            return "length", command.arrayObject
    return "alone", id(command)


def get_fields(object_id: int, fields: Sequence[Field]) -> object_reference.GetValues:
    """Return the command for fields of an object, none of them static. Raises ProtocolError for null."""
    assert not any(field.is_static for field in fields)
    return object_reference.GetValues(not_null(object_id), [field.id for field in fields])


def not_null(object_id: int) -> ObjectID:
    """Return the id of an object. Raises ProtocolError for null."""
    if not object_id:
        # asking the agent for its type or fields would end the VM
        raise ProtocolError("the target named null (id 0) where there must be an object")
    return ObjectID(object_id)


def _class_among(found: Sequence[RefType]) -> RefType | None:
    return next((each for each in found if each.tag == TypeTag.CLASS), None)
