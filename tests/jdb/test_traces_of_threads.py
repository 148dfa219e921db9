"""Traces of single threads beside jdb: a trace of one thread leaves that of another."""

from __future__ import annotations

import re

import pytest

from tests.harness import Jvm, program
from tests.jdb.beside import JDKS, Command, beside
from tests.jdb.differences import normalized
from tests.jdb.driving import drive

SCRIPTS = {
    "both": ("trace go methods {main}", "trace go methods {other}", "trace", "~cont", "untrace", "trace"),
    "one": ("trace go methods {other}", "~cont"),
    "exits of one": ("trace go methods {main}", "trace go method exits {other}", "trace", "~cont"),
    "the same again": ("trace go methods {main}", "trace go methods {main}", "~cont"),
    "all beside one": ("trace go methods {main}", "trace go methods", "trace", "~cont"),
}
"""Lines with the ids of two threads of JdbPair, of which the second calls a method while the first waits."""


@pytest.mark.parametrize("jdk", JDKS, ids=lambda jdk: f"jdk{jdk.feature}")
@pytest.mark.parametrize("name", SCRIPTS)
async def test_methods(jdk: Jvm, name: str) -> None:
    pair = program("JdbPair")

    async def work(command: Command) -> list[str]:
        async with drive(command("-sourcepath", pair.sources, "-classpath", pair.classes, "JdbPair"), jdk) as driven:
            await driven.read()
            await driven.answer(f"stop at JdbPair:{pair.line('ready')}")
            await driven.answer("~run")
            await driven.answer(f"stop at JdbPair:{pair.line('done')}")
            threads = (await driven.answer("threads")).text
            ids = {each: re.findall(rf"\)(\w+) +{each} ", threads)[0] for each in ("main", "other")}
            answers = [await driven.answer(line.format(**ids)) for line in SCRIPTS[name]]
            told = "".join(each.text for each in answers)
            assert "Method exited" in told
            return [normalized(each.text) for each in answers]

    of_jdk, of_ours = await beside(jdk, work)
    assert of_ours == of_jdk
