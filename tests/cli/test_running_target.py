"""Commands on a target that runs: what cannot be known without a stop is said briefly, with what to do."""

from __future__ import annotations

from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.settings import Settings
from jdbpy.session.connect.attach import attach_session
from tests.cli.process import jdbpy, script
from tests.harness import Jvm, start_target

HINT = "hint: 'pause' suspends the threads, so that their stacks can be read; 'cont' lets them run on"


async def test_stacks_of_threads_that_run_say_what_to_do(jvm: Jvm) -> None:
    async with start_target(jvm, "Busy", "2", suspend=False) as target:
        await target.wait_output("ready")
        lines = script("where all --fold", "where all", "each where all --fold", "pause", "where all --fold")
        done = await jdbpy("attach", target.address, *lines)
        assert done.status == 0, done
        running, _, held = done.out.partition("Paused")
        assert running.count(HINT) == 3, done
        assert held and HINT not in held


async def test_a_class_of_one_of_many_archives_is_shown_in_short_lines(jvm: Jvm) -> None:
    """A JVM of 17 does not tell without a stop which archive of its loader's a class comes from."""
    async with start_target(jvm, "Busy", "1", suspend=False) as target:
        await target.wait_output("ready")
        async with attach_session(target.address) as session:
            busy = await session.classes.detail("Busy")
    archives = tuple(f"file:/an/archive/with/a/long/name-{number}.jar" for number in range(280))
    several = busy.replace(code_source="", code_source_candidates=archives)
    text = PlainRenderer(Settings()).result(Outcome("class Busy", None, several))
    assert f"{archives[0]} or {archives[1]} or {archives[2]} or one of 277 more archives" in text
    assert max(map(len, text.splitlines())) < 300
