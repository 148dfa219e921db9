"""A web application in Tomcat with eight clients at once: breakpoints, logpoints, leaving, and its code replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

import jdbpy
from jdbpy import Notice, Options, StepDepth, Stopped, SuspendPolicy
from jdbpy.task_groups import open_nursery
from tests.harness import LIMIT, Jvm, Program, start_target, within
from tests.harness.tomcat import tomcat as tomcat, wait_started
from tests.real.web_application import HELLO, application as application, get

pytestmark = pytest.mark.one_java

CLIENTS = 8


async def test_a_servlet_under_concurrent_requests(
    jvm: Jvm, application: tuple[Program, list[str]], tmp_path: Path
) -> None:
    program, jvm_options = application
    answers: dict[str, list[str]] = {f"client{number}": [] for number in range(CLIENTS)}

    async def client(name: str) -> None:
        for _ in range(10):
            answers[name].append(await get(port, name))

    async with start_target(jvm, program, "start", suspend=False, jvm_options=jvm_options) as target:
        port = await wait_started(target)
        assert await get(port, "first") == "Hello first"
        options = Options(source_path=(str(tmp_path),))
        with within(LIMIT):
            async with jdbpy.attach_session(target.address, options=options) as session, open_nursery() as nursery:
                # one client's requests are stopped, those of the others go on
                condition = 'name.equals("client3") && text(Words.GREETING).length() == 11'
                point = await session.breakpoints.add(
                    "web.Hello.text", policy=SuspendPolicy.THREAD, condition=condition, woven=True
                )
                assert await get(port, "second") == "Hello second"
                assert session.breakpoints.get(point.number).in_target
                async with open_nursery() as others:
                    for name in answers:
                        (nursery if name == "client3" else others).start_soon(client, name)
                assert {name: len(each) for name, each in answers.items() if name != "client3"} == {
                    f"client{number}": 10 for number in range(CLIENTS) if number != 3
                }
                stop = await session.next_stop()
                assert isinstance(stop, Stopped)
                assert stop.breakpoint == point.number
                assert stop.source is not None
                assert stop.thread is not None
                [name_] = [each for each in await session.stack.variables() if each.name == "name"]
                assert name_.value is not None
                assert name_.value.text == '"client3"'
                assert (await session.values.evaluate('text("x") + Words.PARTING')).text == '"Hello xBye"'
                stepped = await session.execution.step(StepDepth.OUT)
                assert isinstance(stepped, Stopped)
                assert stepped.location is not None
                assert (stepped.location.class_name, stepped.location.method) == ("web.Hello", "doGet")

                # a logpoint tells of each request
                await session.breakpoints.remove([point.number])
                with session.events() as events:
                    await session.breakpoints.add("web.Hello.text", log="{name}")
                    await session.execution.resume()
                    told = 0
                    while told < 9:
                        event = await anext(events)
                        told += isinstance(event, Notice) and event.kind == "logpoint"

                # it is left while all clients run into a breakpoint of all threads
                await session.breakpoints.add("web.Hello.text", policy=SuspendPolicy.ALL)
                for name in answers:
                    target_of = name
                    nursery.start_soon(client, target_of)
                assert isinstance(await session.next_stop(), Stopped)
                await session.leave()
    assert answers == {name: [f"Hello {name}"] * 20 for name in answers}


async def test_a_servlet_is_replaced_from_its_source(
    jvm: Jvm, application: tuple[Program, list[str]], tmp_path: Path
) -> None:
    """It is compiled on what the loader of the web application reads from."""
    program, jvm_options = application
    async with start_target(jvm, program, "start", suspend=False, jvm_options=jvm_options) as target:
        port = await wait_started(target)
        assert await get(port, "you") == "Hello you"
        source = tmp_path / "web/Hello.java"
        source.write_text(HELLO.replace("GREETING", "PARTING"))
        async with jdbpy.attach_session(target.address, options=Options(source_path=(str(tmp_path),))) as session:
            done = await session.hotswap.redefine_sources([str(source)])
            assert [(each.name, each.changes) for each in done.classes] == [("web.Hello", ("text(String)",))]
        assert await get(port, "you") == "Bye you"
