"""Finds where the program catches an exception that a handler of the debugger catches first, and throws again.

The JVM looks for handlers when an exception is thrown, and finds the one that tells how a call ends (``method_wrap``).
What comes behind it is read here as the JVM would: the frames above, from the inside out, and the exception tables of
their class files, which JDWP does not tell. A class file counts if its code is what runs; where one is not at hand it
is not known who catches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.extension import Extension
from jdbpy.session.in_target.class_files import local_class_file
from jdbpy.session.java.class_file import ClassFile, FileMethod, MalformedClassFile, parse
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.values.objects import Objects
from jdbpy.wire.constants import TypeTag
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID
from jdbpy.wire.messages import thread_reference

NOWHERE = CodeLocation(TypeTag.CLASS, ReferenceTypeID(0), MethodID(0), 0)
"""The place where an exception is caught that nothing catches."""

_CATCHES_NOTHING = {("java.lang.Thread", "run"), ("java.lang.Thread", "runWith")}
"""Methods of the JDK at the end of many stacks, whose class file is not at hand."""

_LAMBDA = "$$Lambda"
"""In the names of classes that hand a call on to the method of a lambda, and have no handler."""


class _CatcherUnknown(Exception):  # it is no error
    """It is not known who catches: a class file is not at hand."""


class Catches(Extension):
    """Answers for one target who catches an exception."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._files: dict[ReferenceTypeID, ClassFile | None] = {}
        target.extensions.add(self)

    def code_cleared(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Read class files again of classes that have other code."""
        for each in type_ids:
            self._files.pop(each, None)

    async def caught_behind(self, thrown: Any, frames: Sequence[CodeLocation] | None = None) -> CodeLocation | None:
        """See ``Extension``. wire: 1 trip for the stack, 2 for new classes and methods, and those of the class path."""
        try:
            if frames is None:
                asked = thread_reference.Frames(wire_thread(thrown.thread), 0, -1)
                frames = [each.location for each in (await self._target.conn.request(asked)).frames]
            return await self._behind(int(thrown.exception.objectID), frames, thrown.catchLocation)
        except (JdwpError, _CatcherUnknown):  # not known, or the thread is not suspended any more
            return None

    async def _behind(self, thrown: int, frames: Sequence[CodeLocation], passed: CodeLocation) -> CodeLocation:
        """Return where a throwable is caught, of the frames above that whose own handler is at ``passed``.

        Raises _CatcherUnknown, JdwpError.
        """
        index = next(
            (i for i, at in enumerate(frames) if (at.classID, at.methodID) == (passed.classID, passed.methodID)), None
        )
        if index is None:
            raise _CatcherUnknown
        reader = Objects.of(self._target).reader
        type_id = await reader.run(reader.type_id(thrown))
        known = await self._target.types.info({type_id, *(each.classID for each in frames[index + 1 :])})
        kinds = {known[type_id].signature[1:-1]}
        kinds.update(each.signature[1:-1] for each in await self._target.types.ancestors(type_id))
        methods = await self._target.types.methods(list(dict.fromkeys(each.classID for each in frames[index + 1 :])))
        for at in frames[index + 1 :]:
            method = next((each for each in methods.get(at.classID, ()) if each.id == at.methodID), None)
            if method is None or at.classID not in known:
                raise _CatcherUnknown
            handler = await self._handler(known[at.classID], method, at, kinds)
            if handler is not None:
                return at.replace(index=handler)
        return NOWHERE

    async def _handler(self, owner: RefType, method: Method, at: CodeLocation, kinds: set[str]) -> int | None:
        """Return where a frame handles an exception of these classes, by the code as it runs now; None if it does not.

        Raises _CatcherUnknown.
        """
        if not method.has_code or _LAMBDA in owner.name or (owner.name, method.name) in _CATCHES_NOTHING:
            return None
        code = await self._method(owner, method)
        changed = self._target.changed_code.classes.get(owner.id)
        moved = changed.maps.get(method.id) if changed is not None else None
        index = int(at.index) if moved is None else moved.index_before(int(at.index))
        for (start, end, handler), caught in zip(code.handlers, code.caught, strict=True):
            if start <= index < end and (not caught or caught in kinds):
                return handler if moved is None else moved.index_after(handler)
        return None

    async def _method(self, owner: RefType, method: Method) -> FileMethod:
        """Return a method in the class file of its class, if that is the code that runs. Raises _CatcherUnknown."""
        original = self._target.changed_code.original(owner.id)
        if owner.id not in self._files:
            data = original or await local_class_file(self._target, owner.signature[1:-1])
            try:
                self._files[owner.id] = parse(data) if data else None
            except MalformedClassFile:
                self._files[owner.id] = None
        file = self._files[owner.id]
        named = (each for each in (file.methods if file is not None else ()))
        found = next((each for each in named if (each.name, each.signature) == (method.name, method.signature)), None)
        if found is None:
            raise _CatcherUnknown
        if original is None:
            key = owner.id, method.id
            if (await self._target.types.facts.many(facts.BYTECODES, [key])).get(key) != found.code:
                raise _CatcherUnknown
        return found
