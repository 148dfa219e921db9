"""The cache of types: what it costs, what it forgets, what it never sends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
import trio

from jdbpy.errors import ProtocolError
from jdbpy.session.java.constant_pool import class_names
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import LineTable, Method
from jdbpy.session.jvm.types import TypeCache
from jdbpy.wire.constants import ClassStatus
from jdbpy.wire.ids import CodeLocation, MethodID, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import reference_type, thread_reference
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java


def cache_of(d: Debugging) -> TypeCache:
    return d.session._target.types


def waves(d: Debugging) -> int:
    return int(d.session.statistics().waves)


async def at_total(d: Debugging) -> list[CodeLocation]:
    """Lets the shop run into Order.total and returns the places of all frames."""
    stop = await d.run_to("total")
    assert stop.thread is not None
    conn = d.session._target.conn
    frames = await conn.request(thread_reference.Frames(ThreadID(ObjectID(stop.thread.id)), 0, -1))
    return [frame.location for frame in frames.frames]


@pytest.mark.usefixtures("nothing_ahead")
async def test_places_cost_one_trip_and_then_none(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        places = await at_total(d)
        cache = cache_of(d)
        cache.forget({place.classID for place in places})
        before = waves(d)
        found = await cache.locations(places)
        assert waves(d) - before == 1
        assert [(each.class_name, each.method, each.source, each.line) for each in found] == [
            ("shop.Order", "total", "Order.java", d.program.line("total")),
            ("shop.Shop", "main", "Shop.java", d.program.line("print-total")),
        ]
        ids = [(each.type_tag, each.type_id, each.method_id, each.code_index) for each in found]
        assert ids == [(each.typeTag, each.classID, each.methodID, each.index) for each in places]
        assert await cache.locations(places) == found
        assert waves(d) - before == 1


async def test_an_obsolete_method_is_never_asked_about(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        [place, *_] = await at_total(d)
        obsolete = CodeLocation(place.typeTag, place.classID, MethodID(0), place.index)
        [found] = await cache_of(d).locations([obsolete])
        assert (found.class_name, found.method, found.line) == ("shop.Order", "<obsolete>", None)


async def test_null_ids_are_never_sent(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        cache = cache_of(d)
        for call in (
            cache.methods([ReferenceTypeID(0)]),
            cache.line_tables([(ReferenceTypeID(1), MethodID(0))]),
            cache.locations([CodeLocation(1, ReferenceTypeID(0), MethodID(0), 0)]),
        ):
            with pytest.raises(ProtocolError, match="null"):
                await call


@pytest.mark.usefixtures("nothing_ahead")
async def test_superclasses_cost_one_trip_a_link_for_any_number_of_types(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await at_total(d)
        cache = cache_of(d)
        names = ("shop/Order", "java/util/ArrayList", "java/util/Properties")
        types = [(await cache.by_signature(f"L{name};"))[0] for name in names]
        before = waves(d)
        above = await cache.superclasses([each.id for each in types], facts.FIELDS)
        assert [[each.name for each in above[one.id]] for one in types] == [
            ["shop.Document", "java.lang.Object"],
            ["java.util.AbstractList", "java.util.AbstractCollection", "java.lang.Object"],
            ["java.util.Hashtable", "java.util.Dictionary", "java.lang.Object"],
        ]
        assert waves(d) - before == 3  # as many as the longest way to a class that is known from a shorter one
        fields = await cache.fields([above[types[0].id][0].id])
        assert [[field.name for field in each] for each in fields.values()] == [["id"]]
        assert waves(d) - before == 3


@pytest.mark.usefixtures("nothing_ahead")
async def test_what_a_redefinition_changes_is_asked_again(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        [place, *_] = await at_total(d)
        cache = cache_of(d)
        await cache.locations([place])
        await cache.superclasses([place.classID])
        cache.invalidate([place.classID])
        assert cache.facts.known(facts.METHODS, place.classID) is None
        assert cache.facts.known(facts.LINES, (place.classID, place.methodID)) is None
        assert cache.facts.known(facts.SUPERCLASS, place.classID)
        before = waves(d)
        [again] = await cache.locations([place])
        assert (waves(d) - before, again.line) == (1, d.program.line("total"))


class SlowConnection:
    """A connection whose answers come when the test says so: each time the class has a further method."""

    def __init__(self) -> None:
        self.asked = trio.Event()
        self.answer = trio.Event()
        self.turns = 0

    async def batch(self, commands: Sequence[object]) -> list[object]:
        self.turns += 1
        names = [f"m{number}" for number in range(self.turns)]
        self.asked.set()
        await self.answer.wait()
        declared = [reference_type.MethodInfoWithGeneric(MethodID(1), name, "()V", "", 0) for name in names]
        return [reference_type.MethodsWithGenericReply(declared) for _ in commands]


@pytest.mark.parametrize("of_these", [True, False])
async def test_an_answer_that_was_on_its_way_when_its_type_was_dropped_is_asked_for_again(of_these: bool) -> None:
    conn = SlowConnection()
    cache = TypeCache(conn)  # type: ignore[arg-type]
    wanted, other = ReferenceTypeID(7), ReferenceTypeID(8)
    answers: list[Mapping[ReferenceTypeID, tuple[Method, ...]]] = []

    async def ask() -> None:
        answers.append(await cache.methods([wanted]))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await conn.asked.wait()
        cache.invalidate([wanted if of_these else other])
        conn.answer.set()
    [answer] = answers
    assert [each.name for each in answer[wanted]] == (["m0", "m1"] if of_these else ["m0"])
    assert cache.facts.known(facts.METHODS, wanted) == answer[wanted]
    assert conn.turns == 1 + of_these


async def test_what_is_known_and_dropped_while_more_is_asked_for_is_asked_for_too() -> None:
    conn = SlowConnection()
    cache = TypeCache(conn)  # type: ignore[arg-type]
    wanted, other = ReferenceTypeID(7), ReferenceTypeID(8)
    conn.answer.set()
    await cache.methods([wanted])
    conn.asked, conn.answer = trio.Event(), trio.Event()
    answers: list[Mapping[ReferenceTypeID, tuple[Method, ...]]] = []

    async def ask() -> None:
        answers.append(await cache.methods([wanted, other]))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await conn.asked.wait()
        cache.invalidate([wanted])
        conn.answer.set()
    assert {each: len(methods) for each, methods in answers[0].items()} == {wanted: 3, other: 2}


async def test_a_type_that_is_dropped_each_time_is_not_asked_for_for_ever() -> None:
    wanted = ReferenceTypeID(7)
    turns = 0

    class Agent:
        async def batch(self, commands: Sequence[object]) -> list[object]:
            nonlocal turns
            turns += 1
            cache.invalidate([wanted])
            return [reference_type.MethodsWithGenericReply([]) for _ in commands]

    cache = TypeCache(Agent())  # type: ignore[arg-type]
    assert await cache.methods([wanted]) == {wanted: ()}
    assert cache.facts.known(facts.METHODS, wanted) is None
    assert turns < 100


async def test_the_status_of_a_class_is_asked_for_until_it_is_initialized() -> None:
    status = iter((ClassStatus.PREPARED, ClassStatus.PREPARED | ClassStatus.INITIALIZED))
    loaded = ReferenceTypeID(7)

    class Agent:
        async def batch(self, commands: Sequence[object]) -> list[object]:
            return [reference_type.StatusReply(int(next(status))) for _ in commands]

    cache = TypeCache(Agent())  # type: ignore[arg-type]
    wanted = ClassStatus.PREPARED, ClassStatus.PREPARED | ClassStatus.INITIALIZED
    for each in (*wanted, wanted[-1]):  # the last one without a question
        assert await cache.facts.many(facts.STATUS, [loaded]) == {loaded: each}
    cache.forget([loaded])
    assert cache.facts.known(facts.STATUS, loaded) is None


async def test_a_type_that_is_gone_is_missing_from_the_answer(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        [place, *_] = await at_total(d)
        nobody = ReferenceTypeID(999_999)
        cache = cache_of(d)
        assert set(await cache.methods([nobody, place.classID])) == {place.classID}
        assert await cache.info([nobody]) == {}


def test_lines_of_a_table() -> None:
    table = LineTable(0, 20, ((2, 10), (5, 11), (8, 10), (9, 10), (12, 12)))
    assert [table.line_at(index) for index in (-1, 0, 2, 4, 5, 9, 30)] == [None, 10, 10, 10, 11, 10, 12]
    assert table.starts_of(10) == [2, 8]
    assert table.starts_of(13) == []
    assert LineTable(-1, -1, ()).line_at(0) is None


def test_names_in_a_constant_pool() -> None:
    pool = (
        b"\x01\x00\x07a/B$C$1"  # 1
        b"\x07\x00\x01"  # 2
        b"\x05\x00\x00\x00\x00\x00\x00\x00\x07"  # 3 and 4: a long
        b"\x01\x00\x04[[La"  # 5
        b"\x07\x00\x05"  # 6
        b"\x0f\x01\x00\x01"  # 7
    )
    assert class_names(8, pool) == frozenset({"a.B$C$1"})
    assert class_names(9, pool) is None
    assert class_names(3, b"\x63\x00\x00") is None
