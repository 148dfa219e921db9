"""Numbers in other forms: what each letter makes of each type, in arrays and collections too."""

from __future__ import annotations

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.model.values import FORMATS, ValueInfo, check_format, formatted
from jdbpy.wire import ids
from jdbpy.wire.constants import Tag
from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

PROGRAM = """
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
public class Formats {
    record Point(int x, double y) {}
    public static void main(String[] args) {
        byte small = -1;
        short half = -2;
        char letter = 'a';
        int number = 255;
        long wide = -1L;
        boolean flag = true;
        float single = 1.0f;
        double real = -2.0;
        byte[] bytes = {1, -1, 'A'};
        int[][] rows = {{10}, {11}};
        Object[] mixed = {10, 'b', "text", null};
        List<Integer> list = List.of(10, 11);
        Map<String, Long> map = Map.of("k", -1L);
        AtomicInteger atomic = new AtomicInteger(16);
        Point point = new Point(16, 1.0);
        System.out.println(list);  // @here
    }
}
"""


@pytest.mark.parametrize(
    ("tag", "value", "letter", "text"),
    [
        (Tag.BYTE, -1, "x", "0xff"),
        (Tag.BYTE, -128, "t", "0b10000000"),
        (Tag.BYTE, -1, "u", "255"),
        (Tag.BYTE, -61, "c", "'Ã'"),
        (Tag.SHORT, -1, "x", "0xffff"),
        (Tag.SHORT, -1, "o", "0177777"),
        (Tag.CHAR, 0x61, "x", "0x61"),
        (Tag.CHAR, 0x61, "d", "97"),
        (Tag.CHAR, 0x61, "c", "'a'"),
        (Tag.INT, 255, "x", "0xff"),
        (Tag.INT, -1, "x", "0xffffffff"),
        (Tag.INT, -1, "u", "4294967295"),
        (Tag.INT, 5, "t", "0b101"),
        (Tag.INT, 8, "o", "010"),
        (Tag.INT, 0, "o", "0"),
        (Tag.INT, 10, "c", "'\\n'"),
        (Tag.INT, 0x1F600, "c", "'😀'"),
        (Tag.INT, -5, "c", ""),
        (Tag.INT, -5, "d", "-5"),
        (Tag.LONG, -1, "x", "0xffffffffffffffff"),
        (Tag.LONG, -(1 << 63), "u", "9223372036854775808"),
        (Tag.BOOLEAN, True, "x", "0x1"),
        (Tag.BOOLEAN, False, "d", "0"),
        (Tag.BOOLEAN, True, "c", ""),
        (Tag.FLOAT, 1.0, "x", "0x3f800000"),
        (Tag.DOUBLE, -2.0, "x", "0xc000000000000000"),
        (Tag.DOUBLE, 1.0, "d", ""),
        (Tag.VOID, None, "x", ""),
    ],
)
def test_a_primitive_in_a_format(tag: Tag, value: int | float | None, letter: str, text: str) -> None:
    assert formatted(ids.TaggedValue(tag, value), letter) == text


def test_an_unknown_format_says_which_there_are() -> None:
    for letter in FORMATS:
        assert check_format(letter) == letter
    with pytest.raises(
        UsageError, match=r"'q' is not a format: there are x \(hexadecimal\), d \(decimal\), .*c \(character\)"
    ):
        check_format("q")
    with pytest.raises(UsageError, match="a format is missing"):
        check_format("")


async def test_formats_of_values(jvm: Jvm) -> None:
    async with debug(jvm, inline(PROGRAM)) as d:
        await d.run_to("here")

        async def told(text: str, letter: str) -> tuple[str, str]:
            value: ValueInfo = await d.session.values.evaluate(text, format=letter, remember=False)
            return value.text, value.formatted

        assert await told("small", "x") == ("-1", "0xff")
        assert await told("half", "t") == ("-2", "0b1111111111111110")
        assert await told("letter", "d") == ("'a'", "97")
        assert await told("number", "x") == ("255", "0xff")
        assert await told("wide", "u") == ("-1", "18446744073709551615")
        assert await told("flag", "d") == ("true", "1")
        assert await told("single", "x") == ("1.0", "0x3f800000")
        assert await told("real", "o") == ("-2.0", "01400000000000000000000")
        assert await told("bytes", "x") == ("byte[3] {1, -1, 65}", "byte[3] {0x1, 0xff, 0x41}")
        assert await told("bytes", "c") == ("byte[3] {1, -1, 65}", "byte[3] {'\\u0001', 'ÿ', 'A'}")
        assert await told("rows", "x") == ("int[2][] {int[1], int[1]}", "")
        assert await told("rows[1]", "x") == ("int[1] {11}", "int[1] {0xb}")
        text, hexadecimal = await told("mixed", "x")
        assert (text, hexadecimal) == (
            "Object[4] {10, 'b', \"text\", null}",
            'Object[4] {0xa, 0x62, "text", null}',
        )
        assert (await told("list", "x"))[1].endswith("(2) [0xa, 0xb]")
        assert (await told("map", "x"))[1].endswith('(1) {"k"=0xffffffffffffffff}')
        assert await told("atomic", "x") == ("16", "0x10")
        assert await told("point", "x") == ("Point[x=16, y=1.0]", "Point[x=0x10, y=0x3ff0000000000000]")
        assert await told("Integer.valueOf(17)", "x") == ("17", "0x11")
        assert await told("bytes[1..]", "x") == ("byte[2] {-1, 65}", "byte[2] {0xff, 0x41}")
        assert await told('"text"', "x") == ('"text"', "")
        assert await told("number", "") == ("255", "")
        dumped = await d.session.values.dump("point", format="x")
        assert [(each.name, each.value.formatted) for each in dumped.children if each.value] == [
            ("x", "0x10"),
            ("y", "0x3ff0000000000000"),
        ]
        with pytest.raises(UsageError, match="'q' is not a format"):
            await told("number", "q")
