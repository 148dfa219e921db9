"""Identifiers of all languages: what Java takes as a name is one in places, expressions, sources and class names."""

from __future__ import annotations

import unicodedata

import pytest

from jdbpy.identifiers import is_identifier
from jdbpy.session.sources.text import SourceFile
from tests.harness import Jvm, debug, inline, start_target

pytestmark = pytest.mark.one_java

NAMES = """
class Start {
    public static void main(String[] args) { न\u093e\u092e.run(); }
}
class न\u093e\u092e {
    static int मूल्य = 7;
    static int ราคาที่(int จำนวน) {
        int twice = จำนวน * 2;
        return twice;  // @inside
    }
    static void run() {
        int €total = 1, a‿b = 2, नमस्ते = 3;
        System.out.println(€total + a‿b + नमस्ते + मूल्य + ราคาที่(4));  // @sum
    }
}
"""

CHARACTERS = """
class Characters {
    public static void main(String[] args) {
        StringBuilder all = new StringBuilder();
        for (int c = 128; c < 0x110000; c++) {
            int type = Character.getType(c);
            if (type == Character.UNASSIGNED || type == Character.CONTROL || type == Character.SURROGATE) continue;
            int what = (Character.isJavaIdentifierStart(c) ? 2 : 0) + (Character.isJavaIdentifierPart(c) ? 1 : 0);
            all.append(Integer.toHexString(c)).append(':').append(what).append(' ');
        }
        System.out.println(all);
        System.out.println("end");
    }
}
"""

CLASS = "न\u093e\u092e"


async def test_names_in_expressions_and_places(jvm: Jvm) -> None:
    async with debug(jvm, inline(NAMES)) as d:
        await d.run_to("sum", CLASS)
        evaluate = d.session.values.evaluate
        for expression, value in {
            "€total": "1",
            "a‿b": "2",
            "नमस्ते": "3",
            "मूल्य": "7",
            f"{CLASS}.मूल्य": "7",
            "€total + a‿b": "3",
            'नमस्ते + "€" + €total': '"3€1"',
        }.items():
            assert (await evaluate(expression)).text == value, expression
        point = await d.session.breakpoints.add(f"{CLASS}.ราคาที่", temporary=True)
        await d.session.breakpoints.add(d.at("inside", CLASS), condition="จำนวน == 4")
        await d.resume()
        await d.wait_stop("breakpoint")
        assert (await evaluate("จำนวน")).text == "4", point
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="inside")
        assert stop.frame is not None
        place = stop.frame.location
        file = SourceFile("Start.java", tuple(NAMES.split("\n")[1:]))
        shift = place.replace(line=next(n for n, line in enumerate(file.lines, 1) if "@inside" in line))
        assert d.session.sources.doubt(file, shift) == ""


@pytest.mark.two_javas
async def test_the_characters_are_those_of_the_jvm(jvm: Jvm) -> None:
    """Characters whose kind a later version of Unicode has changed aside: a handful."""
    async with start_target(jvm, inline(CHARACTERS), suspend=False) as target:
        words = (await target.wait_output("end")).split()
    kinds = {chr(int(code, 16)): int(kind) for code, colon, kind in (word.partition(":") for word in words) if colon}
    kinds = {c: kind for c, kind in kinds.items() if unicodedata.category(c) != "Cn"}  # newer than this Python
    wrong = [c for c, kind in kinds.items() if (is_identifier(c), is_identifier("a" + c)) != (kind >= 2, kind % 2 == 1)]
    assert len(wrong) < 40, [f"{ord(c):x}" for c in wrong][:60]


def test_control_characters_and_digits() -> None:
    assert not any(map(is_identifier, ("", "1a", "a b", "a\x00", "a-b", "\u00b2", "a\u00b2")))
    assert all(map(is_identifier, ("a", "$", "_", "a1", "$1", "été", "Ω", "\u2160")))
