"""Values that are kept under names, and the history of values."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, UsageError
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.values import Variable
from tests.eval.at_stop import stopped, value
from tests.harness import Jvm

pytestmark = pytest.mark.one_java


def told(variables: tuple[Variable, ...]) -> list[tuple[str, str, str, str]]:
    return [(each.name, each.type, each.value.text, each.kind) for each in variables if each.value]


async def test_what_was_saved_is_listed_with_its_value(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        values = d.session.values
        assert values.saved() == []
        assert await values.saved_values() == ()
        await values.save("order", "name")
        await values.save("$count", "local + 1")
        await value(d, "$own = words")
        assert told(await values.saved_values()) == [
            ("$count", "int", "5", "noted"),
            ("$order", "java.lang.String", '"né日本"', "kept"),
            ("$own", "java.lang.String[]", 'String[2] {"a", "b"}', "noted"),
        ]
        await values.save("order", "local")
        assert await value(d, "$order + $count") == "9"
        values.forget("$order")
        assert "order" not in values.saved()
        with pytest.raises(UsageError, match=r"no \$order"):
            values.forget("order")


@pytest.mark.parametrize("name", ["exc", "ret", "_", "this", "1", "a b", "", "a.b"])
async def test_names_that_cannot_be_saved_under(any_jvm: Jvm, name: str) -> None:
    async with stopped(any_jvm) as (d, _):
        with pytest.raises(UsageError, match="cannot be the name of a saved value"):
            await d.session.values.save(name, "local")


async def test_what_is_saved_outlives_a_collection_and_what_is_not_is_said_to_be_gone(jvm: Jvm) -> None:
    async with stopped(jvm, policy=SuspendPolicy.THREAD) as (d, _):
        values = d.session.values
        await values.save("kept", 'new StringBuilder("kept")')
        await value(d, '$gone = new StringBuilder("gone")')
        await value(d, "$plain = new Evaluated()")
        await value(d, "garbage()")
        found = {each.name: each.value for each in await values.saved_values() if each.value}
        assert found["$kept"].text == '"kept"'
        assert (found["$gone"].text, found["$gone"].note) == ("<collected>", "it was garbage-collected")
        assert found["$plain"].text == "<collected>"
        with pytest.raises(EvalError, match="garbage-collected"):
            await value(d, "$gone.length()")
        values.forget("kept")
        assert "kept" not in values.saved()


async def test_the_history_has_numbers(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        values = d.session.values
        assert await values.history() == ()
        first = await values.evaluate("local")
        unseen = await values.evaluate("number", remember=False)
        second = await values.evaluate("name")
        nothing = await values.evaluate("System.gc()")
        assert [first.number, unseen.number, second.number, nothing.number] == [1, None, 2, None]
        assert [each[:3] for each in told(await values.history())] == [
            ("$1", "int", "4"),
            ("$2", "java.lang.String", '"né日本"'),
        ]
        assert [each.name for each in await values.history(1)] == ["$2"]
        assert (await values.evaluate("$1 + $2.length()")).number == 3
