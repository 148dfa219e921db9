"""Setting variables, fields and elements: the program sees the new value, and what would harm it never leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

import jdbpy
from jdbpy.errors import JdbpyError, StateError, UsageError
from jdbpy.session.events.target import Target
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Limits
from jdbpy.session.values.variables import frame_slots
from jdbpy.session.values.writes import (
    FINAL_NOTE,
    create_string,
    release,
    write_elements,
    write_field,
    write_local,
    write_static,
)
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import FieldID, ReferenceTypeID, TaggedValue
from tests.harness import Debugging, Jvm, debug, program

pytestmark = pytest.mark.one_java

NULL = TaggedValue(Tag.OBJECT, 0)


class Stopped:
    """A stop in Scopes.Derived.everything, with what the tests of this module need at hand."""

    def __init__(
        self, d: Debugging, target: Target, frame: FrameInfo, values: dict[str, TaggedValue], slots: dict[str, int]
    ) -> None:
        self.d = d
        self.target = target
        self.frame = frame
        self.values = values
        self.slots = slots

    async def set_local(self, name: str, value: TaggedValue) -> None:
        await write_local(self.target, self.frame, self.slots[name], value)

    async def field(self, class_name: str, name: str) -> Field:
        [owner] = await self.target.types.by_signature(f"L{class_name};")
        fields = (await self.target.types.facts.many(facts.FIELDS, [owner.id]))[owner.id]
        return next(field for field in fields if field.name == name)

    async def refused(self, writing: object, match: str, error: type[JdbpyError] = UsageError) -> None:
        """Awaits a writing; it must be refused, and no command that changes anything may have been sent."""
        sent: list[str] = []
        submit = self.target.conn.submit

        def spy(command: object, **options: object) -> object:
            sent.append(type(command).__name__)
            return submit(command, **options)  # type: ignore[arg-type]

        self.target.conn.submit = spy  # type: ignore[method-assign,assignment]
        try:
            with pytest.raises(error, match=match):
                await writing  # type: ignore[misc]
        finally:
            self.target.conn.submit = submit  # type: ignore[method-assign]
        assert "SetValues" not in sent


async def stop(d: Debugging, marker: str = "arguments") -> Stopped:
    await d.run_to(marker, "Scopes$Derived")
    target = d.session._target
    frame = await d.session.stack.selected()
    variables = await d.session.stack.variables(frame, Limits(depth=0))
    values = {
        each.name: TaggedValue(ord(each.value.tag), each.value.id) for each in variables if each.value and each.value.id
    }
    slots = {each.name: each.slot for each in await frame_slots(target, frame)}
    return Stopped(d, target, frame, values, slots)


async def finish(d: Debugging) -> list[str]:
    """Lets the program run to its end; gives the lines it has printed."""
    await d.resume()
    await d.wait_exit()
    return d.target.stdout.splitlines()


async def test_every_kind_of_local(jvm: Jvm) -> None:
    async with debug(jvm, "Scopes") as d:
        at = await stop(d)
        text = await create_string(at.target, "new né 日本 \U0001f600")
        new_values = {
            "z": TaggedValue(Tag.BOOLEAN, False),
            "b": TaggedValue(Tag.BYTE, -128),
            "c": TaggedValue(Tag.CHAR, ord("é")),
            "s": TaggedValue(Tag.SHORT, 32767),
            "i": TaggedValue(Tag.INT, -1),
            "j": TaggedValue(Tag.LONG, -(1 << 63)),
            "f": TaggedValue(Tag.FLOAT, -0.5),
            "d": TaggedValue(Tag.DOUBLE, math.inf),
            "text": text,
            "sum": TaggedValue(Tag.INT, 7),
        }
        for name, value in new_values.items():
            await at.set_local(name, value)
        release(at.target, text)
        shown = {each.name: each.value.text for each in await d.session.stack.variables() if each.value}
        assert {name: shown[name] for name in ("b", "c", "j", "d", "sum")} == {
            "b": "-128",
            "c": "'é'",
            "j": "-9223372036854775808",
            "d": "Infinity",
            "sum": "7",
        }
        lines = await finish(d)
        assert lines[0] == "false -128 é 32767 -1 -9223372036854775808 -0.5 Infinity new né 日本 \U0001f600"
        assert lines[1] == "7 7 1 2"


async def test_fields_and_elements(jvm: Jvm) -> None:
    async with debug(jvm, "Scopes") as d:
        at = await stop(d)
        this, array = at.values["this"], at.values["array"]
        assert this.value
        assert array.value
        number = int(this.value)
        text = await create_string(at.target, "hid")
        assert await write_field(at.target, number, await at.field("Scopes$Derived", "hidden"), text) == ""
        await write_field(at.target, number, await at.field("Scopes$Base", "inherited"), TaggedValue(Tag.INT, -3))
        await write_field(at.target, number, await at.field("Scopes$Derived", "other"), this)
        await write_field(at.target, number, await at.field("Scopes$Derived", "comparable"), this)
        await write_field(at.target, number, await at.field("Scopes$Derived", "anything"), array)
        assert await write_static(at.target, await at.field("Scopes$Derived", "shared"), TaggedValue(Tag.LONG, 5)) == ""
        fixed = await at.field("Scopes$Derived", "fixed")
        assert await write_field(at.target, number, fixed, TaggedValue(Tag.INT, 6)) == FINAL_NOTE
        await write_elements(at.target, int(array.value), 1, [TaggedValue(Tag.INT, 22)])
        await write_elements(at.target, int(array.value), 2, [])
        lines = await finish(d)
        assert lines[2].endswith("1 22")
        assert lines[3].startswith("hid -3 Scopes$Derived@")
        assert "[I@" in lines[3]
        assert lines[3].endswith(" 5")


async def test_arrays_of_objects(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        await d.run_to("objects")
        target = d.session._target
        found = {
            each.name: each.value for each in await d.session.stack.variables(limits=Limits(depth=2)) if each.value
        }
        table, strings, number, base = (found[name].id or 0 for name in ("table", "strings", "number", "base"))
        string_array = TaggedValue(Tag.ARRAY, strings)
        text = await create_string(target, "in place")
        await write_elements(target, strings, 1, [text])
        await write_elements(target, table, 1, [string_array])  # String[] is an Object[]
        row = found["table"].children[2].value
        assert row is not None
        assert row.id is not None
        await write_elements(target, row.id, 0, [TaggedValue(Tag.OBJECT, number)])  # an Integer into Integer[]
        for array, value, words in (
            (
                strings,
                TaggedValue(Tag.OBJECT, number),
                "is declared java.lang.String, which a value of type java.lang.Integer",
            ),
            (row.id, text, "is declared java.lang.Integer"),
            (table, TaggedValue(Tag.OBJECT, base), r"is declared java.lang.Object\[\]"),
            (table, TaggedValue(Tag.ARRAY, found["empty"].id), r"a value of type int\[\]"),
            (strings, TaggedValue(Tag.INT, 1), "a value of type int"),
        ):
            with pytest.raises(UsageError, match=words):
                await write_elements(target, array, 0, [value])
        after = await d.session.stack.variables(limits=Limits(depth=2))
        texts = {each.name: each.value.text for each in after if each.value}
        assert texts["strings"] == 'String[2] {"x", "in place"}'
        assert texts["table"] == "Object[3][] {Object[2], String[2], Integer[1]}"


async def test_values_that_do_not_fit(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        at = await stop(d)
        this = at.values["this"]
        number = int(this.value or 0)
        wrong: Sequence[tuple[str, TaggedValue, str]] = (
            ("i", TaggedValue(Tag.LONG, 1), "i is declared int, which a value of type long does not fit"),
            ("i", TaggedValue(Tag.INT, 1 << 31), "2147483648 does not fit i"),
            ("b", TaggedValue(Tag.BYTE, 128), "128 does not fit b"),
            ("c", TaggedValue(Tag.CHAR, -1), "-1 does not fit c"),
            ("f", TaggedValue(Tag.FLOAT, 1e39), r"1e\+39 does not fit f"),
            ("z", TaggedValue(Tag.BOOLEAN, 1), "1 does not fit z"),
            ("i", NULL, "i is declared int, which a value of type a reference"),
            ("text", TaggedValue(Tag.INT, 1), "text is declared java.lang.String"),
            ("text", this, r"text is declared java.lang.String, which a value of type Scopes\$Derived does not fit"),
            ("array", this, r"array is declared int\[\]"),
            ("list", this, "list is declared java.util.List"),
        )
        for name, value, words in wrong:
            await at.refused(at.set_local(name, value), words)
        await at.set_local("text", NULL)
        await at.set_local("list", NULL)
        other = await at.field("Scopes$Derived", "other")
        await at.refused(write_field(at.target, number, other, at.values["text"]), "other is declared Scopes.Base")
        comparable = await at.field("Scopes$Derived", "comparable")
        await write_field(at.target, number, comparable, at.values["text"])  # a String is Comparable too
        await at.refused(write_field(at.target, number, comparable, at.values["array"]), "comparable is declared")


async def test_what_would_end_the_vm_is_not_sent(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        at = await stop(d)
        this, array, text = (int(at.values[name].value or 0) for name in ("this", "array", "text"))
        one = TaggedValue(Tag.INT, 1)
        inherited = await at.field("Scopes$Base", "inherited")
        shared = await at.field("Scopes$Derived", "shared")
        await at.refused(write_field(at.target, 0, inherited, one), "the object is null")
        await at.refused(write_field(at.target, text, inherited, one), "the object has no field inherited")
        await at.refused(write_field(at.target, this, shared, TaggedValue(Tag.LONG, 1)), "shared is static")
        await at.refused(write_static(at.target, inherited, one), "inherited is not static")
        made_up = Field(FieldID(12345), inherited.type_id, "inherited", "I", "", 0)
        await at.refused(write_field(at.target, this, made_up, one), "the object has no field")
        made_up = Field(FieldID(12345), ReferenceTypeID(shared.type_id), "shared", "J", "", 8)
        await at.refused(write_static(at.target, made_up, TaggedValue(Tag.LONG, 1)), "the class has no field")
        sides = await at.field("Scopes$Shape", "SIDES")
        await at.refused(write_static(at.target, sides, one), "constant of an interface")
        await at.refused(write_elements(at.target, 0, 0, [one]), "the object is null")
        await at.refused(write_elements(at.target, this, 0, [one]), r"type Scopes\$Derived has no elements")
        for start, index in ((-1, -1), (2, 2), (1, 2)):
            await at.refused(
                write_elements(at.target, array, start, [one, one]), f"index {index} is out of bounds for length 2"
            )
        await at.refused(write_local(at.target, at.frame, 0, NULL), "no variable in slot 0")
        await at.refused(write_local(at.target, at.frame, 99, one), "no variable in slot 99")
        lines = await finish(d)
        assert lines[0].startswith("true -2 x 300 70000")


async def test_without_debugging_information_references_stay(any_jvm: Jvm) -> None:
    """Nobody would check the class of what goes into a slot whose type is lost."""
    async with debug(any_jvm, program("Scopes", debug="lines")) as d:
        await d.run_to("objects")
        target = d.session._target
        frame = await d.session.stack.selected()
        slots = [each for each in await frame_slots(target, frame) if each.signature.startswith("L")]
        text = await create_string(target, "x")
        with pytest.raises(UsageError, match="can only be set to null: its type is lost"):
            await write_local(target, frame, slots[0].slot, text)
        await write_local(target, frame, slots[-1].slot, NULL)


async def test_frames_that_cannot_be_written_to(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes") as d:
        at = await stop(d, "loop")
        await stop(d, "loop")
        await at.refused(at.set_local("i", TaggedValue(Tag.INT, 1)), "earlier stop", StateError)


async def test_a_read_only_session_changes_nothing(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Scopes", options=jdbpy.Options(read_only=True, allow_suspend=True)) as d:
        at = await stop(d)
        this, array = (int(at.values[name].value or 0) for name in ("this", "array"))
        one = TaggedValue(Tag.INT, 1)
        inherited = await at.field("Scopes$Base", "inherited")
        for writing in (
            at.set_local("i", one),
            write_field(at.target, this, inherited, one),
            write_static(at.target, await at.field("Scopes$Derived", "shared"), TaggedValue(Tag.LONG, 1)),
            write_elements(at.target, array, 0, [one]),
            create_string(at.target, "x"),
        ):
            await at.refused(writing, "read-only", StateError)


async def test_virtual_threads_only_take_values_in_their_top_frame(newest_jvm: Jvm) -> None:
    async with debug(newest_jvm, "Crowd", "0") as d:
        await d.run_to("virtual")
        target = d.session._target
        top, below = (await d.session.stack.of(count=2)).frames
        await write_local(target, top, (await frame_slots(target, top))[0].slot, TaggedValue(Tag.INT, 1000))
        [argument, local] = await frame_slots(target, below)
        assert (argument.name, local.name) == ("argument", "local")
        with pytest.raises(StateError, match="in a virtual thread only the innermost frame"):
            await write_local(target, below, local.slot, TaggedValue(Tag.INT, 1))
        await d.resume()
        await d.target.wait_output("deeper 1000\nvirtual 42\n")
        await d.target.send()
        await d.wait_exit()
