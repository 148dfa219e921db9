"""`repeat on` of jdb since 21: what an empty line runs again, and where `list` goes on."""

from __future__ import annotations

import re

from tests.harness import Jvm, inline
from tests.jdb.driving import drive, ours

DEEP = (
    """
public class Deep {
    public static void main(String[] args) {
        down(20);
    }

    static int down(int depth) {
        return depth == 0
            ? 0 // @bottom
            : 1 + down(depth - 1);
    }
}
"""
    + "// more\n" * 40
)


async def test_empty_lines(jvm: Jvm) -> None:
    deep = inline(DEEP)
    words = ("-sourcepath", deep.sources, "-classpath", deep.classes, "Deep")
    async with drive(ours(*words), jvm) as driven:
        await driven.read()

        async def said(*lines: str) -> str:
            return "".join([(await driven.answer(line)).text for line in lines])

        async def moved(line: str, frame: int) -> str:
            await driven.type(line)
            return await driven.read(re.compile(rb"main\[%d\] $" % frame))

        await said(f"stop at Deep:{deep.line('bottom')}", "~run")
        first = await said("list")
        assert await said("") == "main[1] "
        assert await said("list") == first  # it goes on only when lines are repeated
        await said("repeat on")
        pages = [await said("list")]
        while "EOF" not in pages[-1]:
            pages.append(await said(""))
        assert _numbers("\n".join(pages)) == [*range(_numbers(first)[-1] + 1, len(DEEP.splitlines()) + 1)]
        assert await said("") == "EOF\nmain[1] "

        await moved("20 up", 21)
        assert await said("up") == "main[22] "
        assert " => " in (again := await said("list"))
        await said("")
        assert await said("up") == "End of stack.\nmain[22] "
        assert await said("list") == again

        assert _numbers(await said("list 30"))[0] == 26
        assert [_numbers(await said(""))[0], _numbers(await said("list"))[0]] == [36, 46]
        await moved("20 down", 2)
        await moved("down", 1)
        assert await moved("2 2 up", 5) == "main[2] main[3] main[4] main[5] "
        assert await moved("", 9) == "main[6] main[7] main[8] main[9] "


def _numbers(text: str) -> list[int]:
    """The numbers of listed lines."""
    return [int(number) for number in re.findall(r"^(\d+) {1,4}", text, re.MULTILINE)]
