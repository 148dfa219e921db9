"""Calls and constructors on a real thread: every argument checked, what would end the target refused, results pinned.

The agent hands arguments to the VM unchecked: too few, or an object of a wrong class, and the VM crashes. So a call is
sent only when the receiver and each argument are known to fit. Objects that come out of calls are kept from collection
until the evaluation ends: their ids are weak (docs/agent.md, "Results of calls are weak").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import trio

from jdbpy.errors import EvalError, JdbpyError, ProtocolError, Thrown, UsageError
from jdbpy.session.eval.jvm.invoking import MakeCommand, explained, run_method, run_methods
from jdbpy.session.eval.jvm.pins import Pins
from jdbpy.session.eval.jvm.throwables import read_throwable
from jdbpy.session.eval.target import Invocation, Raw, Ref, from_wire, to_wire
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import FINAL, split_method
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.writes import OF_THE_JDK, require_assignable
from jdbpy.wire.constants import InvokeOptions, TypeTag
from jdbpy.wire.ids import ClassID, InterfaceID, ObjectID, ReferenceTypeID, TaggedValue, ThreadID
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import class_type, interface_type, object_reference

_ENDS_THE_VM = frozenset(
    (
        ("java.lang.System", "exit"),
        ("java.lang.Runtime", "exit"),
        ("java.lang.Runtime", "halt"),
        ("java.lang.Shutdown", "exit"),
        ("java.lang.Shutdown", "halt"),
        ("java.lang.Shutdown", "halt0"),
        ("java.lang.Shutdown", "beforeHalt"),
    )
)
_WEDGES_THE_THREAD = frozenset((("java.lang.Thread", "suspend"), ("java.lang.Thread", "suspend0")))


def require_callable(owner: str, wanted: Invocation) -> None:
    """Raises EvalError for a method that would end the target, or its thread, and for one without its object."""
    name = wanted.method.name
    if (owner, name) in _ENDS_THE_VM:
        raise EvalError(
            f"{owner}.{name} cannot be run from the debugger: the target would wait for itself for ever",
            hint="'exit --kill' ends the target",
            code="REFUSED",
        )
    if (owner, name) in _WEDGES_THE_THREAD:
        raise EvalError(
            f"{owner}.{name} cannot be run from the debugger: it would never return",
            hint="'suspend THREAD' suspends a thread",
            code="REFUSED",
        )
    if wanted.method.is_static != (wanted.obj is None):
        raise EvalError(f"{name} cannot be called that way")


def arguments_of(method: Method, args: Sequence[Raw]) -> list[TaggedValue]:
    """Return the arguments as they are sent, of the declared types. Raises EvalError for a wrong number of them."""
    parameters = split_method(method.signature)[0]
    if len(parameters) != len(args):
        raise EvalError(f"{method.name} takes {len(parameters)} arguments, and {len(args)} were given")
    return [to_wire(signature, arg) for signature, arg in zip(parameters, args, strict=True)]


def result_of(method: Method, value: TaggedValue) -> Raw:
    """Return the result of a method. Raises ProtocolError where that cannot be of the type that it declares."""
    declared = split_method(method.signature)[1]
    tag = ord(declared[0])
    if tag != value.tag and not (tag in OBJECT_TAGS and value.tag in OBJECT_TAGS):
        raise ProtocolError(f"the target answered with a result of {method.name} that is not of its declared type")
    return from_wire(value)


def command_of(owner: RefType, thread: int, wanted: Invocation, values: list[TaggedValue]) -> MakeCommand:
    """Return what makes the command that runs a method of ``owner``, whose object and values are known to fit."""
    thread_id, clazz, obj = ThreadID(ObjectID(thread)), ClassID(owner.id), wanted.obj

    def command(options: int) -> Any:
        if obj is not None:
            options |= InvokeOptions.INVOKE_NONVIRTUAL if wanted.exact else 0
            return object_reference.InvokeMethod(ObjectID(obj.id), thread_id, clazz, wanted.method.id, values, options)
        if owner.tag == TypeTag.INTERFACE:
            return interface_type.InvokeMethod(InterfaceID(owner.id), thread_id, wanted.method.id, values, options)
        return class_type.InvokeMethod(clazz, thread_id, wanted.method.id, values, options)

    return command


class MadeCall:
    """A method that was run for a condition, and the reply or the error that came of it."""

    def __init__(self, wanted: Invocation, outcome: Any) -> None:
        self.wanted = wanted
        self.outcome = outcome

    def is_of(self, wanted: Invocation) -> bool:
        """True if it is the same method of the same object with the same arguments."""
        mine = self.wanted
        same = mine.obj == wanted.obj and mine.args == wanted.args and mine.exact == wanted.exact
        return same and (mine.owner_id, mine.method.id) == (wanted.owner_id, wanted.method.id)


class ThreadCalls:
    """Runs methods on one thread for one evaluation; those that are asked for side by side wait for each other."""

    def __init__(
        self,
        target: Target,
        thread: int,
        rules: InvokeRules,
        pins: Pins,
        receive: Callable[[Ref], None],
        *,
        one_at_a_time: trio.Lock | None = None,
    ) -> None:
        """``receive`` is run for each object that a reply gives; ``one_at_a_time`` is the lock of a thread that several
        evaluations use."""
        self._target = target
        self.thread = thread
        self._rules = rules
        self._pins = pins
        self._one_at_a_time = one_at_a_time or trio.Lock()
        self.made: list[MadeCall] = []
        """The first calls of this evaluation, where an earlier try of it has run them: they are not run again."""
        self._receive = receive

    async def invoke(
        self, obj: Ref | None, owner_id: int, method: Method, args: Sequence[Raw], *, exact: bool, sure: bool = False
    ) -> Raw:
        """Run a method. Raises Thrown when it throws. wire: 1 trip, and what checking takes.

        ``sure``: the object is known to be one of the method's class.
        """
        [outcome] = await self.invoke_all([Invocation(obj, owner_id, method, tuple(args), exact, sure)])
        if isinstance(outcome, JdbpyError):
            raise outcome
        return outcome

    async def invoke_all(self, wanted: Sequence[Invocation], *, slow: bool = False) -> list[Raw | JdbpyError]:
        """Run methods that do not depend on each other; one outcome for each, the result or the error.

        wire: as ``run_methods``, and what checking takes.
        """
        commands = [await self._command(each) for each in wanted]
        if len(wanted) == 1 and self.made and self.made[0].is_of(wanted[0]):
            await self._target.invocations.all_prepared()
            replies = [explained(self.made.pop(0).outcome)]
        else:
            async with self._one_at_a_time:
                replies = await run_methods(self._target, self.thread, commands, self._rules, slow=slow)
        return [
            reply if isinstance(reply, JdbpyError) else await self._result(reply, each.method)
            for reply, each in zip(replies, wanted, strict=True)
        ]

    async def _command(self, wanted: Invocation) -> tuple[str, MakeCommand]:
        """Return the name of a method and what makes the command that runs it. Raises EvalError for one that must not
        be."""
        obj, owner_id, method = wanted.obj, wanted.owner_id, wanted.method
        owner = (await self._target.types.info([ReferenceTypeID(owner_id)]))[ReferenceTypeID(owner_id)]
        require_callable(owner.name, wanted)
        if obj is not None and not wanted.sure:
            await self._require(owner.signature, TaggedValue(obj.tag, obj.id), "the object", owner_id)
        values = await self._arguments(method, wanted.args, owner_id)
        return f"{owner.name}.{method.name}", command_of(owner, self.thread, wanted, values)

    async def _result(self, reply: Any, method: Method) -> Raw | JdbpyError:
        if reply.exception.objectID:
            return await self._thrown(Ref(reply.exception.objectID, reply.exception.tag))
        result = result_of(method, reply.returnValue)
        if isinstance(result, Ref):
            self._receive(result)
            self._learn_class(result, split_method(method.signature)[1])
            try:
                await self._pins.add(result)
            except EvalError as error:  # the target has collected it: others run
                return error
        return result

    def _learn_class(self, result: Ref, declared: str) -> None:
        """The class of what a method gives follows from its declaration where that is final, as those of boxes are."""
        types = self._target.types
        known = types.known_named(declared) if declared.startswith(OF_THE_JDK) else None
        if known and (types.facts.known(facts.MODIFIERS, known) or 0) & FINAL:
            Objects.of(self._target).reader.cache_type(result.id, known)

    async def instantiate(self, class_id: int, constructor: Method, args: Sequence[Raw]) -> Ref:
        """Make an object. Raises Thrown when the constructor throws. wire: as ``invoke``."""
        owner = (await self._target.types.info([ReferenceTypeID(class_id)]))[ReferenceTypeID(class_id)]
        values = await self._arguments(constructor, args, class_id)
        thread = ThreadID(ObjectID(self.thread))

        def command(options: int) -> Any:
            return class_type.NewInstance(ClassID(class_id), thread, constructor.id, values, options)

        async with self._one_at_a_time:
            reply = await run_method(self._target, self.thread, f"new {owner.name}", command, self._rules)
        if reply.exception.objectID:
            raise await self._thrown(Ref(reply.exception.objectID, reply.exception.tag))
        made = Ref(reply.newObject.objectID, reply.newObject.tag)
        self._receive(made)
        Objects.of(self._target).reader.cache_type(made.id, class_id)
        await self._pins.add(made)
        return made

    async def _arguments(self, method: Method, args: Sequence[Raw], owner_id: int) -> list[TaggedValue]:
        values = arguments_of(method, args)
        for number, (signature, value) in enumerate(zip(split_method(method.signature)[0], values, strict=True), 1):
            await self._require(signature, value, f"argument {number} of {method.name}", owner_id)
        return values

    async def _require(self, signature: str, value: TaggedValue, what: str, home: int) -> None:
        try:
            await require_assignable(self._target, signature, value, what, ReferenceTypeID(home))
        except UsageError as error:
            raise EvalError(f"incompatible types: {error.message}", code=error.code) from error

    async def _thrown(self, exception: Ref) -> Thrown:
        self._receive(exception)
        await self._pins.add(exception)
        return await read_throwable(self._target, exception, self)
