"""The code that changed classes had before, kept in the target, so that the next debugger can put it back.

A debugger that is killed leaves its checks behind: calls without effect, as the agent drops the breakpoints. Beside
each changed class a class of the debugger's own keeps the name of the changed one and its class file. Its fields are
set before anything is changed. A class without a package, defined once by the boot loader, says that there may be such.
"""

from __future__ import annotations

import struct
from contextlib import suppress

from jdbpy.errors import Disconnected, JdbpyError, JdwpError
from jdbpy.record import Record
from jdbpy.session.events.redefining import redefine
from jdbpy.session.events.target import Target
from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.in_target.ring_poller import emptied
from jdbpy.session.java.class_file import MalformedClassFile, parse
from jdbpy.session.java.signatures import java_name
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.changed_code import PREFIX
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.events import Notice
from jdbpy.wire.ids import ArrayID, ObjectID, ReferenceTypeID
from jdbpy.wire.messages import array_reference, reference_type, string_reference, virtual_machine

_KEEPER = "original"
_MOST_BYTES = 16_000_000
_PUBLIC_FINAL_SUPER_SYNTHETIC = 0x1031
_FIELDS = (("data", "[B"), ("host", "Ljava/lang/String;"))


def keeper_class(name: str) -> bytes:
    """Return the class file of an empty class (``name`` is internal) with static fields for a class file and a name."""
    texts = [name, "java/lang/Object", *(text for field in _FIELDS for text in field)]
    pool = b"".join(b"\x01" + struct.pack(">H", len(text.encode())) + text.encode() for text in texts)
    count = len(texts)
    pool += struct.pack(">BHBH", 7, 1, 7, 2)
    this, above = count + 1, count + 2
    members = b"".join(struct.pack(">HHHH", 0x1009, 3 + 2 * at, 4 + 2 * at, 0) for at in range(len(_FIELDS)))
    head = struct.pack(">IHHH", 0xCAFEBABE, 0, 49, count + 3)
    about = struct.pack(">HHHHH", _PUBLIC_FINAL_SUPER_SYNTHETIC, this, above, 0, len(_FIELDS))
    return head + pool + about + members + struct.pack(">HH", 0, 0)


def keeper_name(package: str, session: str, number: int) -> str:
    """Return the internal name of a keeper in a package ("com/acme/" or "")."""
    return f"{package}{PREFIX}{session}_{_KEEPER}{number}"


class _NotFilled(JdbpyError):
    """A keeper that its debugger has not come to fill."""


class LeftOver(Record):
    """A class that still runs what another debugger has put in, and its own code."""

    type: RefType
    original: bytes


async def put_back_left_over(target: Target) -> None:
    """Restore the code of classes that an earlier debugger has left changed, where that is allowed, with a notice.

    For a VM in which one has changed classes at some time (``SIGN``). wire: 6 trips, 7 for each such class.
    """
    if not target.conn.allows(virtual_machine.RedefineClasses):
        return
    with suppress(JdbpyError):
        left_alone: list[str] = []
        names = await _put_back(target, left_alone)
        if left_alone:
            text = f"{', '.join(left_alone)} has the name of a class that a debugger leaves, but is another: left alone"
            target.publish(Notice("warning", text))
        if names:
            text = f"took out what an earlier debugger has left in the code of {', '.join(names)}"
            target.publish(Notice("left-over", text, (("classes", tuple(names)),)))


async def _put_back(target: Target, left_alone: list[str]) -> list[str]:
    """Put back the code of all classes where that can be done; return their names."""
    restored = []
    for each in await _left_over(target, left_alone):
        with suppress(JdwpError):
            async with target.code_guard.replacing([each.type.id]):
                await redefine(target, [virtual_machine.ClassDef(each.type.id, each.original)])
                target.types.invalidate([each.type.id])
            restored.append(each.type.name)
    await _empty_rings(target)
    return restored


async def _empty_rings(target: Target) -> None:
    """Have what an earlier debugger has left take nothing any more, and keep no object alive. wire: 2 trips."""
    helpers = list(target.changed_code.helpers)
    with suppress(JdbpyError):
        fields = await target.types.fields(helpers)
        await target.conn.batch([command for each in helpers for command in emptied(each, fields[each])])


async def _left_over(target: Target, left_alone: list[str]) -> list[LeftOver]:
    types = target.types
    listed = await types.all_classes()
    own = [each for each in listed if f"/{PREFIX}" in each.signature or each.signature.startswith(f"L{PREFIX}")]
    target.changed_code.helpers.update(each.typeID for each in own)
    keepers = [each for each in own if f"_{_KEEPER}" in each.signature]
    found: dict[ReferenceTypeID, LeftOver] = {}
    by_name: dict[str, list[ReferenceTypeID]] = {}
    for each in listed:
        by_name.setdefault(each.signature, []).append(each.typeID)
    await types.facts.prefetch((facts.LOADER, [each.typeID for each in keepers]))
    for keeper in sorted(keepers, key=lambda each: (len(each.signature), each.signature)):
        try:
            host, data = await _kept(target, keeper.typeID)
            original = parse(data)
            if original.name != host:
                raise MalformedClassFile(f"it is {original.name}, not {host}")
        except Disconnected:
            raise
        except _NotFilled:
            continue
        except (JdbpyError, MalformedClassFile):  # any program may have a class of that name
            left_alone.append(java_name(keeper.signature))
            continue
        with suppress(JdbpyError):
            signature = f"L{host};"
            candidates = by_name.get(signature, [])
            loaders = await types.facts.many(facts.LOADER, candidates)
            loader = types.facts.known(facts.LOADER, keeper.typeID)
            mentioned = await types.facts.many(facts.MENTIONED_CLASSES, candidates)
            session = keeper.signature.rpartition("/")[2].rpartition(f"_{_KEEPER}")[0].removeprefix("L")
            for candidate in candidates:
                names = mentioned.get(candidate) or frozenset()
                changed = any(name.rpartition(".")[2].startswith(session) for name in names)
                if loaders.get(candidate) == loader and changed:
                    type_ = (await types.info([candidate]))[candidate]
                    running = await running_shapes(types, [type_])
                    # The VM keeps constants of code that was taken out: what they name may be called by nothing.
                    if differences(running[candidate], of_file(original)):
                        found[candidate] = LeftOver(type_, data)
    return list(found.values())


async def _kept(target: Target, keeper: ReferenceTypeID) -> tuple[str, bytes]:
    """Return the name of a class and its class file, as a keeper has them. wire: 4 trips."""
    fields = {(each.name, each.signature): each for each in (await target.types.fields([keeper]))[keeper]}
    if set(fields) != set(_FIELDS) or not all(each.is_static for each in fields.values()):
        raise JdbpyError("it is not a keeper of a debugger")
    wanted = [fields[each].id for each in _FIELDS]
    data, host = (await target.conn.request(reference_type.GetValues(keeper, wanted))).values
    if not (data.value and host.value):
        raise _NotFilled("its debugger has ended before it was filled")
    text = await target.conn.request(string_reference.Value(ObjectID(int(host.value))))
    array = ArrayID(ObjectID(int(data.value)))
    length = (await target.conn.request(array_reference.Length(array))).arrayLength
    if not 0 < length <= _MOST_BYTES:
        raise JdbpyError("the kept class file is damaged")
    region = await target.conn.request(array_reference.GetValues(array, 0, length))
    return text.stringValue, bytes(int(each.value or 0) & 0xFF for each in region.values.tagged())
