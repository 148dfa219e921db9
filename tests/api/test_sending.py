"""Python values sent into the target: what Java sees of them."""

from __future__ import annotations

import pytest

import jdbpy
from tests.harness import LIMIT, Jvm, inline, start_target

SENT = inline("""
import java.util.*;

public class Sent {
    public static void main(String[] args) {
        char letter = 'x';
        System.out.println("begin " + letter); // @begin
        System.out.println(letter + " " + Arrays.toString(ints) + Arrays.toString(longs) + Arrays.toString(bytes)
            + Arrays.toString(chars) + Arrays.toString(words) + Arrays.deepToString(grid) + Arrays.toString(boxes));
        System.out.println(any + " " + any.getClass().getName() + " " + large + " " + half + " " + small);
        long first = list.get(0);
        System.out.println(list + " " + first + mixed + set + deque + map + map.get("a").get(1) + tree.lastEntry());
    }

    static int[] ints; static long[] longs; static byte[] bytes; static char[] chars; static String[] words;
    static double[][] grid; static Integer[] boxes; static Object any; static Long large; static Double half;
    static List<Long> list; static Collection<Object> mixed; static Set<String> set; static Deque<String> deque;
    static Map<String, List<Integer>> map; static TreeMap<String, Double> tree; static float small;

    static String sum(Collection<Integer> numbers, Map<String, Object> more) {
        int sum = 0;
        for (int each : numbers) sum += each;
        return sum + " " + more;
    }
}
""")


async def test_what_java_sees(jvm: Jvm) -> None:
    async with start_target(jvm, SENT, suspend=True) as target, jdbpy.attach(target.address) as vm:
        breakpoint = await vm.stop_at(f"Sent:{SENT.line('begin')}")
        await vm.resume()
        stop = await breakpoint.wait(timeout=LIMIT)
        frame = stop.frame
        for name, value in {
            "letter": "y",
            "ints": [1, -2],
            "longs": (3, 1 << 40),
            "bytes": b"\x01\xff",
            "chars": ["a", "é"],
            "words": ["a\tb", None, frame.class_name],
            "grid": [[1.5, 2], []],
            "boxes": [7, None],
            "any": {"x": [True, 1.5, "s"], 2: {3}},
            "large": 5,
            "half": 2,
            "small": 0.1,
            "list": [4, 5],
            "mixed": [1, 1 << 40, 2.5, None, await frame["args"]],
            "set": {"only"},
            "deque": ["front", "back"],
            "map": {"a": [1, 2], "b": []},
            "tree": {"z": 1, "y": 0.5},
        }.items():
            await frame.set(name, value)
        assert await frame.eval("sum(numbers, more)", numbers=[1, 2, 3], more={"k": [b"", None]}).string
        assert await frame.eval("new Object[] {it, it.size()}[1]", it=set()).python() == 0
        many = await frame.eval("it", it=list(range(3000)))
        assert await many.python() == list(range(3000))
        loop: list[object] = []
        loop.append(loop)
        for name, wrong, message in (
            ("ints", ["a"], "incompatible types: String cannot be converted to int"),
            ("ints", [1 << 40], "incompatible types: possible lossy conversion from long to int"),
            ("list", {"a": 1}, "incompatible types"),
            ("any", object(), "Java has no value for a object"),
            ("any", [0] * 10_001, "no more than 10,000 values"),
        ):
            with pytest.raises(jdbpy.JdbpyError, match=message):
                await frame.set(name, wrong)
        await stop.resume()
        await vm.wait_ended(timeout=LIMIT)
        lines = target.stdout.splitlines()
        assert lines[0] == "begin y"
        assert lines[1] == ("y [1, -2][3, 1099511627776][1, -1][a, é][a\tb, null, Sent][[1.5, 2.0], []][7, null]")
        assert lines[2] == "{x=[true, 1.5, s], 2=[3]} java.util.LinkedHashMap 5 2.0 0.1"
        assert lines[3].startswith("[4, 5] 4[1, 1099511627776, 2.5, null, [Ljava.lang.String;@")
        assert lines[3].endswith("][only][front, back]{a=[1, 2], b=[]}2z=1.0")
