"""Hidden classes by their names, which have a slash: `stop`, `watch`, `catch`; beside the JDK's jdb."""

from __future__ import annotations

import re

import pytest

from tests.harness import Jvm, program
from tests.jdb.beside import JDKS
from tests.jdb.differences import normalized
from tests.jdb.driving import drive, ours, theirs

NAMED = """\
class {name}
lines {name}
stop in {name}.count
stop at {name}:{count}
watch {name}.total
catch {name}
stop
!cont
where
print own
clear {name}:{count}
clear {name}.count
!cont
unwatch {name}.total
!cont
where
ignore {name}
stop
stop in {name}.nope
"""
"""Lines with the name of a class that is there."""

REFUSED = """\
stop in xx.yyy/0x111/0x222.foo
stop in xx./0x111.0x222.foo
stop in xx.yyy.zzz/.foo
stop in xx.yyy/*.foo
stop at xx.yyy/0x111/0x222:3
stop at xx.yyy/0x111:3
stop in xx.yyy/0x111.foo
stop at xx./0x111.0x222:1
stop at xx.yyy.zzz/:1
watch xx.yyy/0x111/0x222.f
watch xx./0x111.0x222.f
watch xx.yyy.zzz/.f
watch xx.yyy/0x111.f
catch xx.yyy/0x111/0x222
catch xx./0x111.0x222
catch xx.yyy.zzz/
catch xx.yyy/0x111
ignore xx.yyy/0x111
print {name}.total
print {name}
set {name}.total = 5
print 7/0x2
"""
"""Names that are none, or of no class that is there; in expressions they are none either."""

TWICE = re.compile(r"(Breakpoint hit: )\n\1")
"""Two breakpoints at one place are told one after the other, and jdb's prompt may come between them."""


@pytest.mark.parametrize("script", [NAMED, REFUSED], ids=["named", "refused"])
async def test_names_of_hidden_classes(jvm: Jvm, script: str) -> None:
    of_ours, of_jdk = await _answers(jvm, script), await _answers(JDKS[0], script, jdb=True)
    assert of_ours == of_jdk


async def _answers(jvm: Jvm, script: str, *, jdb: bool = False) -> list[tuple[str, str]]:
    hidden = program("JdbHidden")
    words = ("-sourcepath", hidden.sources, "-classpath", hidden.classes, "JdbHidden")
    command = (theirs(jvm, *words) if jdb else ours(*words)) + [f"{hidden.classes}/JdbHidden$Hidden.class"]
    async with drive(command, jvm) as driven:
        await driven.read()
        await driven.answer(f"stop at JdbHidden:{hidden.line('ready')}")
        await driven.answer("~run")
        told = (await driven.answer("print counts.getClass().getName()")).text
        name = told.split('"')[1]
        assert re.fullmatch(r"JdbHidden\$Hidden/0x[0-9a-f]{16}", name)
        answers = []
        for line in script.splitlines():
            answer = await driven.answer(line.format(name=name, count=hidden.line("count")))
            answers.append((line, normalized(TWICE.sub(r"\1", answer.text)).replace(name, "HIDDEN")))
        return answers
