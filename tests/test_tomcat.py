"""A program of the world: Debian's Tomcat 10, debugged over attach while it answers a request."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.task_groups import open_nursery
from tests.cli.process import driving
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import LIMIT, Jvm, Program, start_target, within
from tests.harness.tomcat import tomcat as tomcat, wait_started

pytestmark = pytest.mark.one_java


async def options(port: int, answers: list[str]) -> None:
    """Ask the server what may be done with its file, and keep the answer."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        await stream.send_all(b"OPTIONS /hello.txt HTTP/1.0\r\nHost: localhost\r\n\r\n")
        answers.append("".join([chunk.decode() async for chunk in stream]))


async def test_a_servlet_s_return_value_is_changed_and_the_client_sees_it(
    jvm: Jvm, tomcat: tuple[Program, list[str]]
) -> None:
    program, jvm_options = tomcat
    answers: list[str] = []
    async with start_target(jvm, program, "start", suspend=False, jvm_options=jvm_options) as target:
        port = await wait_started(target)
        await options(port, answers)
        with within(LIMIT):
            async with jdbpy.attach_session(target.address) as session, open_nursery() as nursery:
                where = "org.apache.catalina.servlets.DefaultServlet.determineMethodsAllowed"
                breakpoint = await session.breakpoints.add(where)
                assert breakpoint.resolved
                nursery.start_soon(options, port, answers)

                stop = await session.next_stop()
                assert isinstance(stop, jdbpy.Stopped)
                assert stop.breakpoint == breakpoint.number
                assert stop.thread is not None
                assert "exec" in stop.thread.name

                trace = await session.stack.of()
                methods = [frame.location.method for frame in trace.frames]
                assert methods[:3] == ["determineMethodsAllowed", "doOptions", "service"]
                assert methods[-1] == "run"
                assert await values(session) == {"this": "DefaultServlet", "req": "RequestFacade"}

                stepped = await session.execution.step(jdbpy.StepDepth.OVER)
                assert isinstance(stepped, jdbpy.Stopped)
                assert stepped.location is not None
                assert stop.location is not None
                assert (stepped.location.line or 0) > (stop.location.line or 0)
                assert await values(session) == {
                    "this": "DefaultServlet",
                    "req": "RequestFacade",
                    "allow": "StringBuilder",
                }

                await session.execution.force_return('"OPTIONS, COFFEE"')
                await session.breakpoints.remove([breakpoint.number])
                await session.execution.resume()
        await options(port, answers)
    allowed = [re.findall(r"Allow: (.*)\r", answer) for answer in answers]
    assert allowed == [["OPTIONS, GET, HEAD, POST"], ["OPTIONS, COFFEE"], ["OPTIONS, GET, HEAD, POST"]]


async def values(session: jdbpy.Session) -> dict[str, str]:
    """The variables in scope by name, each with the simple name of its value's class."""
    variables = await session.stack.variables()
    return {variable.name: variable.value.type.rpartition(".")[2] for variable in variables if variable.value}


async def test_the_watchdog_answers_clients_while_the_prompt_stands_idle(
    jvm: Jvm, tomcat: tuple[Program, list[str]], tmp_path: Path
) -> None:
    program, jvm_options = tomcat
    answers: list[str] = []
    async with start_target(jvm, program, "start", suspend=False, jvm_options=jvm_options) as target:
        port = await wait_started(target)
        await options(port, answers)
        where = "org.apache.catalina.servlets.DefaultServlet.determineMethodsAllowed"
        words = ["attach", target.address, "--max-suspend", "1", "-c", f"break {where}"]
        async with open_terminal(words, tmp_path) as terminal:
            await terminal.expect("Breakpoint 1 set")
            with within(LIMIT):
                async with open_nursery() as nursery:  # each client's request stands still, and is answered
                    for _ in range(4):
                        nursery.start_soon(options, port, answers)
            await terminal.expect("resumed all threads: suspended for 1 s without a key or command")
            await terminal.prompt(">")
    assert [re.findall(r"Allow: (.*)\r", answer) for answer in answers] == [["OPTIONS, GET, HEAD, POST"]] * 5


async def test_tomcat_is_restarted_under_a_session(jvm: Jvm, tomcat: tuple[Program, list[str]], port: int) -> None:
    """A conditional breakpoint, a logpoint and a catchpoint are there again, and the next request is caught."""
    program, jvm_options = tomcat
    servlet = "org.apache.catalina.servlets.DefaultServlet"
    lines = [
        f'break thread {servlet}.determineMethodsAllowed if req.getMethod().equals("OPTIONS")',
        f'logpoint {servlet}.doOptions "asked for"',
        "catch all jakarta.servlet.UnavailableException",
        "cont",
        "print req.getRequestURI()",
        "breakpoints",
        "delete 1 2 3",
        "detach",
    ]
    answers: list[str] = []
    starting = functools.partial(
        start_target, jvm, program, "start", suspend=False, agent=f",address=127.0.0.1:{port}", jvm_options=jvm_options
    )
    async with starting() as first:
        await first.wait_output("Server startup in", stream="stderr")
        async with driving("attach", first.address, "--reconnect") as driver:
            for line in lines[:3]:
                await driver.ask(line)
            before = (await driver.ask("breakpoints"))["breakpoints"]
            await driver.send(lines[3])
            first.kill()
            await driver.event("disconnected")
            async with starting() as second:
                while (told := await driver.event("notice"))["kind"] != "reconnected":
                    pass
                assert told["data"] == {"breakpoints": 3, "failed": 0}
                at = await wait_started(second)
                async with open_nursery() as nursery:
                    nursery.start_soon(options, at, answers)
                    assert (await driver.result())["data"]["stop"]["breakpoint"] == 1
                    reports = [found["data"]["message"] for found in driver.seen if found.get("event") == "notice"]
                    assert any("asked for" in report for report in reports)
                    assert (await driver.ask(lines[4]))["value"] == '"/hello.txt"'
                    after = (await driver.ask(lines[5]))["breakpoints"]
                    settings = ("number", "kind", "location", "condition", "suspend")
                    assert [[each.get(key) for key in settings] for each in after] == [
                        [each.get(key) for key in settings] for each in before
                    ]
                    for line in lines[6:]:
                        await driver.ask(line)
                assert await driver.wait() == 0
    assert len(answers) == 1


async def client(port: int) -> None:
    """Ask for the file again and again, over one connection at a time."""
    while True:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(b"GET /hello.txt HTTP/1.0\r\nHost: localhost\r\n\r\n")
            async for _ in stream:
                pass


@pytest.mark.parametrize("hold", [jdbpy.SuspendPolicy.ALL, jdbpy.SuspendPolicy.THREAD])
async def test_steps_in_a_request_thread_end_there_beside_seven_others_at_the_breakpoint(
    jvm: Jvm, tomcat: tuple[Program, list[str]], hold: jdbpy.SuspendPolicy
) -> None:
    program, jvm_options = tomcat
    async with start_target(jvm, program, "start", suspend=False, jvm_options=jvm_options) as target:
        port = await wait_started(target)
        async with open_nursery() as nursery:
            for _ in range(8):
                nursery.start_soon(client, port)
            with within(2 * LIMIT):
                async with jdbpy.attach_session(target.address) as session:
                    pending: list[int] = []
                    session.listen(lambda event: pending.extend(pended(event)))
                    where = "org.apache.catalina.servlets.DefaultServlet.serveResource"
                    await session.breakpoints.add(where, policy=hold)
                    stop = await session.next_stop()
                    for _ in range(20):
                        assert isinstance(stop, jdbpy.Stopped)
                        assert stop.thread is not None
                        name = await session.values.evaluate("Thread.currentThread().getName()")
                        assert name.text == f'"{stop.thread.name}"'
                        pending.clear()
                        stepped = await session.execution.step(jdbpy.StepDepth.OVER)
                        assert isinstance(stepped, jdbpy.Stopped)
                        assert stepped.thread == stop.thread or stop.thread.id in pending
                        stop = stepped
                        if hold is jdbpy.SuspendPolicy.THREAD:  # requests that do not come to the breakpoint go on
                            answers: list[str] = []
                            await options(port, answers)
                            assert answers[0].startswith("HTTP/1.1 200")
            nursery.cancel_scope.cancel()


def pended(event: jdbpy.Event) -> list[int]:
    """Return the thread whose step is said to stay pending."""
    if isinstance(event, jdbpy.Notice) and event.kind == "step-pending":
        return [each for name, each in event.data if name == "thread" and isinstance(each, int)]
    return []
