"""The run that docs/sharing.md shows."""

from __future__ import annotations

import re

from tests.harness import Jvm, start_target
from tests.serve.serving import ROOT, run, serving


async def test_what_the_page_shows(any_jvm: Jvm) -> None:
    page = (ROOT / "docs" / "sharing.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$ jdbpy (.*)\n(?!\$)(.*)$|^\$ jdbpy (.*)$", page, re.MULTILINE)
    commands = [(first or only, answer) for first, answer, only in lines]
    async with start_target(any_jvm, "Desks", suspend=False) as target:
        await target.wait_output("open")
        words = [each.replace("5005", target.address) for each in commands[0][0].split()]
        async with serving(*words[1:]):
            for command, answer in commands[1:]:
                said, _ = await run(*(each.strip("'") for each in re.findall(r"'[^']*'|\S+", command)))
                if command == "sessions":
                    assert said.split() == answer.replace("127.0.0.1:5005", target.address).split()
                else:
                    assert re.search(r"^\$1 = [12]$|= [12]$", said, re.MULTILINE), said
