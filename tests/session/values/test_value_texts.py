"""Texts of values: literals, numbers as Java writes them, heads and previews. Compared with Java where it decides."""

from __future__ import annotations

import struct

import pytest

from jdbpy.escape import escape
from jdbpy.session.java.texts import char_literal, double_text, float_text, primitive_text, string_literal, utf16_length
from jdbpy.session.values.value_text import array_head, braces, label
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from tests.harness import Jvm, debug, inline, start_target

JAVA_NUMBERS = """
import java.util.Random;
public class Numbers {
    public static void main(String[] args) {
        Random random = new Random(42);
        for (int i = 0; i < 4000; i++) {
            int bits = i < 600 ? i * 0x20_0000 + (i % 3 - 1) : random.nextInt();
            System.out.println("F " + Integer.toHexString(bits) + " " + Float.intBitsToFloat(bits));
            long wide = i < 600 ? i * 0x10_0000_0000_0000L + (i % 3 - 1) : random.nextLong();
            System.out.println("D " + Long.toHexString(wide) + " " + Double.longBitsToDouble(wide));
            double plain = random.nextInt(1_000_000) / 1000.0;
            System.out.println("D " + Long.toHexString(Double.doubleToLongBits(plain)) + " " + plain);
            System.out.println("F " + Integer.toHexString(Float.floatToIntBits((float) plain)) + " " + (float) plain);
        }
        System.out.println("end");
    }
}
"""


async def test_numbers_are_written_as_java_writes_them(newest_jvm: Jvm) -> None:
    """By the algorithm of JDK 19 and later; earlier ones gave more digits than needed at times (JDK-4511638)."""
    async with start_target(newest_jvm, inline(JAVA_NUMBERS), suspend=False) as target:
        lines = (await target.wait_output("end\n")).splitlines()[:-1]
    assert len(lines) == 16_000
    wrong = []
    for line in lines:
        kind, bits, text = line.split()
        if kind == "F":
            [value] = struct.unpack(">f", int(bits, 16).to_bytes(4, "big"))
            ours = float_text(value)
        else:
            [value] = struct.unpack(">d", int(bits, 16).to_bytes(8, "big"))
            ours = double_text(value)
        if ours != text:
            wrong.append((line, ours))
    assert not wrong


OLD_AND_NEW = """
import java.util.concurrent.atomic.DoubleAdder;
public class Decimals {
    public static void main(String[] args) {
        double[] doubles = {2.0E-3, 2.2250738585072014E-308, 1.0E23, 2.0E23, 0.1, 1e21, 4.9e-324, -0.0, 6e-44, 1 / 3.0};
        float[] floats = {2.0E-3f, 1.17549435E-38f, 1.0E10f, 3.3554432E7f, 0.1f, 1e21f, 1.4e-45f, 2.0e-44f, 1 / 3.0f};
        Double[] boxes = new Double[doubles.length];
        DoubleAdder adder = new DoubleAdder();
        adder.add(2.0E23);
        for (int i = 0; i < doubles.length; i++) {
            boxes[i] = doubles[i];
            System.out.println(String.valueOf(doubles[i]));
        }
        for (float single : floats) {
            System.out.println(String.valueOf(single));
        }
        System.out.println(adder);
        System.out.println("end");  // @here
    }
}
"""


async def test_a_decimal_is_shown_as_its_target_prints_it(jvm: Jvm) -> None:
    """JDK 19 changed that: locals, elements, boxes and results of the debugger's own all follow the target."""
    async with debug(jvm, inline(OLD_AND_NEW)) as d:
        await d.run_to("here")
        values = {each.name: each.value for each in await d.session.stack.variables() if each.value}
        shown = {
            name: [child.value.text for child in values[name].children if child.value]
            for name in ("doubles", "boxes", "floats")
        }
        adder = values["adder"].text
        assert ("1.9999999999999998E23" in shown["doubles"]) == (jvm.feature < 19)
        assert shown["doubles"] == shown["boxes"]
        await d.resume()
        await d.wait_exit()
        printed = d.target.stdout.split()
        assert [*shown["doubles"], *shown["floats"], adder, "end"] == printed


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("", '""'),
        ("plain", '"plain"'),
        ('say "no"', '"say \\"no\\""'),
        ("a\\b", '"a\\\\b"'),
        ("\n\t\r\b\f", '"\\n\\t\\r\\b\\f"'),
        ("\0\x1b\x7f", '"\\u0000\\u001b\\u007f"'),
        ("é日本😀", '"é日本😀"'),
        ("\u202eevil\u2028", '"\\u202eevil\\u2028"'),
        ("\ud800", '"\\ud800"'),
        ("\U000e0001", '"\\udb40\\udc01"'),
        ("it's", '"it\'s"'),
    ],
)
def test_string_literal(text: str, literal: str) -> None:
    assert string_literal(text) == literal


@pytest.mark.parametrize(
    ("char", "literal"), [("a", "'a'"), ("'", "'\\''"), ('"', "'\"'"), ("\\", "'\\\\'"), ("\ud800", "'\\ud800'")]
)
def test_char_literal(char: str, literal: str) -> None:
    assert char_literal(char) == literal


@pytest.mark.parametrize(
    ("tag", "value", "text"),
    [
        (Tag.BOOLEAN, True, "true"),
        (Tag.BYTE, -1, "-1"),
        (Tag.CHAR, 0x41, "'A'"),
        (Tag.CHAR, 0xDC00, "'\\udc00'"),
        (Tag.SHORT, 300, "300"),
        (Tag.INT, 7, "7"),
        (Tag.LONG, 1 << 40, "1099511627776"),
        (Tag.FLOAT, 0.5, "0.5"),
        (Tag.DOUBLE, 1e21, "1.0E21"),
        (Tag.VOID, None, "void"),
    ],
)
def test_primitive_text(tag: Tag, value: int | float | None, text: str) -> None:
    assert primitive_text(TaggedValue(tag, value)) == text


def test_escaping_lets_no_control_character_pass() -> None:
    assert escape("C:\\dir\x1b[31m\n") == "C:\\dir\\u001b[31m\\n"


def test_utf16_length() -> None:
    assert utf16_length("a😀b") == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("com.acme.Order", "Order"),
        ("java.util.Map$Entry", "Entry"),
        ("com.acme.Order$1", "Order$1"),
        ("test.T$$Lambda/0x0000700001000a00", "T$$Lambda"),
        ("Plain", "Plain"),
    ],
)
def test_label(name: str, text: str) -> None:
    assert label(name) == text


@pytest.mark.parametrize(
    ("signature", "text"), [("[I", "int[3]"), ("[[Ljava/lang/String;", "String[3][]"), ("[[[Z", "boolean[3][][]")]
)
def test_array_head(signature: str, text: str) -> None:
    assert array_head(signature, 3) == text


def test_preview_ends_where_a_line_would() -> None:
    assert braces(["1", "2"], 2) == "{1, 2}"
    assert braces(["1", "2"], 3) == "{1, 2, ...}"
    assert braces(["x" * 500], 1) == "{" + "x" * 500 + "}"
    assert braces(["x" * 100, "y" * 100], 2) == "{" + "x" * 100 + ", ...}"
