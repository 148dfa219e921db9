"""Bytes of arrays, slices, strings and buffers: what is read, and how much of it."""

from __future__ import annotations

import struct

import pytest

from jdbpy.errors import EvalError
from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

PROGRAM = """
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
public class Octets {
    public static void main(String[] args) {
        byte[] bytes = new byte[1000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        boolean[] flags = {true, false};
        char[] letters = {'H', '\\u00e9', '\\ud83d'};
        short[] halves = {-2};
        int[] numbers = {1, -1};
        long[] wide = {1L << 40};
        float[] singles = {1.5f};
        double[] reals = {-0.0};
        byte[] none = {};
        String text = "Hi\\u65e5";
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 4, 12).slice();
        buffer.position(2);
        ByteBuffer outside = ByteBuffer.allocateDirect(4);
        Object[] others = {
            CharBuffer.wrap(letters), ShortBuffer.wrap(halves), IntBuffer.wrap(numbers), LongBuffer.wrap(wide)
        };
        Object nothing = null;
        System.out.println(text);  // @here
    }
}
"""


async def test_bytes_of_arrays_and_strings(jvm: Jvm) -> None:
    async with debug(jvm, inline(PROGRAM)) as d:
        await d.run_to("here")
        rows = {
            "flags": ("boolean", b"\1\0"),
            "letters": ("char", bytes.fromhex("0048 00e9 d83d")),
            "halves": ("short", b"\xff\xfe"),
            "numbers": ("int", bytes.fromhex("00000001 ffffffff")),
            "wide": ("long", (1 << 40).to_bytes(8, "big")),
            "singles": ("float", struct.pack(">f", 1.5)),
            "reals": ("double", struct.pack(">d", -0.0)),
            "none": ("byte", b""),
            "text": ("char", "Hi日".encode("utf-16-be")),
            '"a" + 1': ("char", bytes.fromhex("0061 0031")),
            "bytes[250..260]": ("byte", bytes(each % 256 for each in range(250, 260))),
            "numbers[1..]": ("int", b"\xff\xff\xff\xff"),
            "others[0]": ("char", bytes.fromhex("0048 00e9 d83d")),
            "others[1]": ("short", b"\xff\xfe"),
            "others[2]": ("int", bytes.fromhex("00000001 ffffffff")),
            "others[3]": ("long", (1 << 40).to_bytes(8, "big")),
            "buffer": ("byte", bytes(range(6, 16))),
        }
        found = {text: await d.session.values.bytes(text) for text in rows}
        assert {text: (each.element, each.data) for text, each in found.items()} == rows
        assert [found[text].start for text in ("bytes[250..260]", "buffer", "text")] == [250, 2, 0]
        assert all(each.left_out == 0 for each in found.values())


@pytest.mark.usefixtures("nothing_ahead")
async def test_no_more_is_read_than_was_asked_for(jvm: Jvm) -> None:
    async with debug(jvm, inline(PROGRAM)) as d:
        await d.run_to("here")
        page = await d.session.values.bytes("bytes")
        assert (len(page.data), page.length, page.left_out) == (256, 1000, 744)
        few = await d.session.values.bytes("bytes", 3)
        assert (few.data, few.left_out) == (bytes([0, 1, 2]), 997)
        assert (await d.session.values.bytes("bytes", 5000)).left_out == 0
        text = await d.session.values.bytes("text", 1)
        assert (text.data, text.left_out) == (b"\0H", 2)
        before = d.session.statistics()
        await d.session.values.bytes("bytes", 16)
        assert d.session.statistics().since(before).waves == 1, "the variable, its class and its length are known"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("others", r"this is java.lang.Object\[\]"),
        ("others[0..2]", "this is a sequence of"),
        ("1 + 1", "this is int"),
        ("new Object()", "this is java.lang.Object"),
        ("outside", "keeps its bytes outside the heap"),
        ("nothing", "null has no bytes"),
    ],
)
async def test_what_has_no_bytes(any_jvm: Jvm, text: str, message: str) -> None:
    async with debug(any_jvm, inline(PROGRAM)) as d:
        await d.run_to("here")
        with pytest.raises(EvalError, match=message):
            await d.session.values.bytes(text)
