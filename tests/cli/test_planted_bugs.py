"""Ten planted bugs, each found from recorded calls alone, in one run, by the words of the prompt.

The program is the judge: it says what it has done wrong, and its markers say where.
"""

from __future__ import annotations

import re
from typing import Any

from jdbpy.cli.embedded import ConsoleLines, PromptLines
from tests.cli.recorded_page import OTHERS, PAGE, shown, without_times
from tests.harness import Jvm, debug

Found = dict[str, Any]


class Prompt:
    """Lines of the prompt, and what their results say."""

    def __init__(self, lines: PromptLines) -> None:
        self._lines = lines

    async def do(self, line: str) -> Found:
        [result] = await self._lines.run(line)
        assert result["ok"], result
        data: Found = result["data"]
        return data

    async def calls(self, line: str) -> list[Found]:
        return list((await self.do(line))["calls"])

    async def one(self, line: str) -> int:
        """The number of the only call that a line lists, which is opened and gone to its end."""
        [call] = await self.calls(line)
        await self.do(f"recorded {call['number']}")
        await self.do("cont")
        return int(call["number"])

    async def value(self, expression: str) -> str:
        return str((await self.do(f"print {expression}"))["value"]["value"])

    async def last(self, name: str) -> tuple[int, str | None, str]:
        """The line that has written a variable last, the value of before, and its own."""
        write = (await self.do(f"last {name}"))["writes"][0]
        return write["line"], write["old"], write["new"]


async def test_each_of_ten_planted_bugs_is_found_in_one_run(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Planted") as d:
        prompt, line = Prompt(PromptLines(d.session)), d.program.line
        await d.run_to("wrong")
        await prompt.do("record Bugs.* deep 1")
        await d.run_to("done")
        said = dict(each.split(": ") for each in await d.target.wait_lines("", 10))
        [recording] = (await prompt.do("record"))["recordings"]
        assert (recording["kept"], recording["missed"]) == (recording["calls"], 0)

        # an off-by-one in a loop: the first price is never added
        await prompt.one("recorded /Bugs.sum")
        writes = (await prompt.do("changes"))["writes"]
        first = next(each for each in writes if each["name"] == "i")
        assert said["loop"] == f"first={first['new']} sum={await prompt.value('sum')}"
        assert first["line"] == line("loop") and await prompt.value("prices.length - sum / 8") == "1"
        assert await prompt.value("sum == prices[1] + prices[2]") == "true"

        # a stale value of a cache: the same arguments, two ways, a new value between them that was not taken
        one, published, two, _ = await prompt.calls('recorded if currency.equals("EUR")')
        parted = await prompt.do(f"compare {one['number']} {two['number']}")
        assert (parted["line"], parted["other_line"]) == (line("miss"), line("cached"))
        assert said["cache"] == f"rate={two['result']} published={published['arguments'][1]['value']}"

        # a race: two threads have read the same balance, and each has written what it made of it
        seen = await prompt.calls("recorded if seen == 100")
        assert sorted(each["thread"] for each in seen) == ["main", "other"]
        balances = []
        for each in seen:
            await prompt.do(f"recorded {each['number']}")
            await prompt.do("cont")
            of_line, _, new = await prompt.last("account.balance")
            assert of_line == line("lost") and await prompt.value("seen - amount") == new
            balances.append(new)
        assert said["race"].removeprefix("seen=100 twice, balance=") in balances and len(set(balances)) == 2

        # an exception that is swallowed: it is in a variable, at the line that drops it
        await prompt.one("recorded if ignored != null")
        await prompt.do(f"back to {line('zero')}")
        of_line, _, new = await prompt.last("ignored")
        assert of_line == line("swallowed") and new.startswith("NumberFormatException@")
        assert (await prompt.do("cont"))["place"]["outcome"] == said["swallowed"].replace("number=", "returned ")

        # a wrong branch by null: who is no member pays the fee, who is nothing does not
        differ = await prompt.do('recorded differences if name.equals("guest") && $ret == 100')
        assert "member == null" in [each["what"] for each in differ["differences"]]
        gold, silver, guest = await prompt.calls("recorded /Bugs.price")
        parted = await prompt.do(f"compare {silver['number']} {guest['number']}")
        assert (parted["line"], parted["other_line"]) == (line("fee"), line("price"))
        assert gold["result"] == guest["result"] == said["null"].removeprefix("price=")

        # a sum of floats: adding 1 changes nothing
        await prompt.one("recorded /Bugs.total")
        of_line, old, new = await prompt.last("total")
        assert of_line == line("float") and old == new and said["float"] == f"total={new}"
        await prompt.do(f"back to {line('float')}")
        assert await prompt.value("each") == "1.0"

        # an alias: two names of one list
        await prompt.one("recorded /Bugs.withGift")
        assert await prompt.value("basket == gifts") == "true"
        assert (await prompt.last("gifts"))[0] == line("alias")
        size = await prompt.value("$ret.size()")
        assert said["alias"] == f"basket={size} gifts={size}" and await prompt.value("basket.size()") == "1"  # as given

        # an overflow
        await prompt.one("recorded if area < 0")
        of_line, _, new = await prompt.last("area")
        assert of_line == line("overflow") and said["overflow"] == f"area={new}"
        assert await prompt.value("(long) width * height") == "2500000000"

        # a locale: the same argument, two results
        one, two = await prompt.calls("recorded /Bugs.key")
        parted = await prompt.do(f"compare {one['number']} {two['number']}")
        [key] = parted["first_values"]
        assert key["name"] == "key" and parted["first_line"] == line("locale") + 1
        assert said["locale"] == f"key={ord(key['other'][2])} before={ord(key['one'][2])}"

        # a rounding: the number that is rounded is not the one that was meant
        await prompt.one("recorded /Bugs.cents")
        assert (await prompt.last("cents"))[0] == line("rounded")
        of_line, _, scaled = await prompt.last("scaled")
        assert of_line == line("scaled") and said["rounding"] == f"cents={await prompt.value('$ret')} scaled={scaled}"
        await prompt.do("close")

        # what the documentation shows of them; the constructor's call may have put the code in, or be recorded
        numbers = {"20": str(one["number"]), "21": str(two["number"])}
        said_here: list[str] = []
        console = ConsoleLines(d.session, said_here.append)
        page = PAGE.read_text(encoding="utf-8").partition(OTHERS)[2]
        for at_prompt, told in shown(re.sub(r"\b2[01]\b", lambda found: numbers[found[0]], page)):
            said_here.clear()
            assert await console.run(at_prompt) is None, at_prompt
            assert sorted(without_times(told)) == sorted(without_times("".join(said_here))), at_prompt

        # in an open call its words are completed, and explained
        assert await console.run("recorded /Bugs.sum") is None
        assert await console.run(f"recorded {said_here[-1].split()[0]}") is None
        for typed, offered in (("la", "last"), ("last pr", "prices"), ("c", "changes"), ("back to", "to")):
            assert offered in [each.text for each in await console.complete(typed)], typed
        assert await console.run("help back") is None and "condition held" in said_here[-1]
        await d.resume()
        await d.wait_exit()
