"""Over a slow link what an expression mentions is asked for ahead: answers and errors are those of a near target."""

from __future__ import annotations

import pytest

import jdbpy
from benchmarks.bench import TARGETS
from benchmarks.relay import open_relay
from tests.harness import Jvm, program, start_target

pytestmark = pytest.mark.one_java

RTT = 0.02
ORDERS = program("Orders", where=TARGETS)

EXPRESSIONS = [
    "order.customer.address",
    "order.customer.nothing",
    "order.nothing().number",
    "nothing.at.all",
    "no.such.Thing.here",
    "Nothing.here",
    "Orders.nothing",
    "((Order) null).customer.name",
    "order.drinks[7].cents",
    "order.drinks.length",
    "Orders.Customer.class.getSimpleName()",
    "java.util.Map.Entry.class == Map.Entry.class",
    "new Till().balance",
    'new Address("Elm Street", 3).number + more',
    "(Customer) something",
    "something instanceof String text && text.length() == number - 38",
    "goods.label + order.total() + list",
    "list[? it.price() > 260].map(it -> it.label)",
    "order == latest && list == order.items ? more : goods",
    "List.of(number, more).get(1) * 2",
    'String.join("-", "a", goods.label)',
    "list.get(5)",
    "this.till",
    "$this.latest == FIRST",
]


async def outcome(session: jdbpy.Session, text: str) -> str:
    try:
        value = await session.values.evaluate(text, remember=False)
    except jdbpy.JdbpyError as error:
        return str(error).partition("@")[0]
    return value.text.partition("@")[0]


async def test_answers_are_those_of_a_near_target(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, ORDERS, suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            await session.breakpoints.add(ORDERS.at("look"))
            await session.next_stop()
            near = {text: await outcome(session, text) for text in EXPRESSIONS}
        await target.wait_listening(2)
        async with open_relay(target.address, rtt=RTT) as relay, jdbpy.attach_session(relay.address) as session:
            await session.breakpoints.add(ORDERS.at("look"))
            await session.next_stop()
            assert {text: await outcome(session, text) for text in EXPRESSIONS} == near


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("till.balance + (till.balance = 7) + till.balance", "114"),
        ("till.balance++ + till.balance", "201"),
        ("served = 1; served + served++ + served", "4"),
        ("order.drinks[0] = order.drinks[1]; order.drinks[0].cents", "300"),
        ("latest = null; latest == null", "true"),
        ("till.balance + spend(30) + till.balance", "240"),
    ],
)
async def test_what_an_expression_changes_is_read_again(jvm: Jvm, text: str, answer: str) -> None:
    async with start_target(jvm, ORDERS, suspend=False) as target:
        await target.wait_output("ready")
        async with open_relay(target.address, rtt=RTT) as relay, jdbpy.attach_session(relay.address) as session:
            await session.breakpoints.add(ORDERS.at("look"))
            await session.next_stop()
            assert (await session.values.evaluate(text)).text == answer


async def test_a_condition_is_asked_as_ever(jvm: Jvm) -> None:
    async with start_target(jvm, ORDERS, suspend=False) as target:
        await target.wait_output("ready")
        async with open_relay(target.address, rtt=RTT) as relay, jdbpy.attach_session(relay.address) as session:
            await session.breakpoints.add(
                ORDERS.at("look"), condition='Orders.FIRST.customer.name.equals("Ann") && till.balance == 100'
            )
            stop = await session.next_stop()
            assert isinstance(stop, jdbpy.Stopped)
            assert stop.location is not None
            assert stop.location.line == ORDERS.line("look")
