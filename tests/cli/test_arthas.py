"""docs/arthas.md: each line of ours in its tables is run by a real JVM, one thread of which stands at a breakpoint."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program
from tests.harness.pages import ROOT

OPERATED = program("Operated")


def lines() -> list[tuple[str, str]]:
    """The words of Arthas in the page with each line of ours that stands beside them."""
    page = (ROOT / "docs/arthas.md").read_text()
    rows = re.findall(r"^\| (.+) \| (.+) \|$", page, re.MULTILINE)
    return [(theirs, ours) for theirs, told in rows for ours in re.findall(r"`([^`]+)`", told)]


async def test_every_line_beside_arthas_works(jvm: Jvm, tmp_path: Path) -> None:
    shown = lines()
    words = {theirs.split("`")[1].split()[0] for theirs, _ in shown}
    assert {
        *("dashboard", "thread", "logger", "mbean", "vmoption", "sysprop", "jvm", "memory", "heapdump", "vmtool"),
        *("watch", "trace", "tt", "stack", "monitor", "sc", "sm", "ognl", "getstatic"),
    } <= words
    run = [ours.replace("/tmp", str(tmp_path)) for _, ours in shown]
    target = OPERATED.on(jvm)
    begin = script("break thread Operated.ready", "run", *run)
    done = await jdbpy(*launching(target, "--json", "--keep-going", *begin, arguments=[f"{target.classes}/"]), jvm=jvm)
    results = [each for each in done.results if "command" in each]
    assert [each["command"] for each in results[2:]] == run
    assert [(each["command"], each["error"]) for each in results if not each["ok"]] == []
    assert (tmp_path / "here.hprof").read_bytes().startswith(b"JAVA PROFILE")
