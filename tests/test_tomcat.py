"""A program of the world: Debian's Tomcat 10, debugged over attach while it answers a request.

Needs the jars of the package libtomcat10-java; ``./dev test`` installs it where it can.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.session.concurrency import open_nursery
from tests.cli.process import driving
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import LIMIT, Jvm, Program, start_target
from tests.harness.needs import TOMCAT_JARS, tomcat_jars

SERVER = """\
<Server port="-1">
  <Service name="Catalina">
    <Connector port="0" address="127.0.0.1" protocol="HTTP/1.1"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" deployOnStartup="false"><Context path="" docBase="ROOT"/></Host>
    </Engine>
  </Service>
</Server>
"""

WEB = """\
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
  <absolute-ordering/>
  <servlet>
    <servlet-name>default</servlet-name>
    <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
  </servlet>
  <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
</web-app>
"""


@pytest.fixture
def tomcat(tmp_path: Path) -> tuple[Program, list[str]]:
    """Tomcat as a program, with the JVM options that make it serve one file from ``tmp_path``."""
    assert tomcat_jars(), f"no Tomcat 10 in {TOMCAT_JARS}: apt-get install libtomcat10-java"
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "server.xml").write_text(SERVER)
    (tmp_path / "conf" / "web.xml").write_text(WEB)
    (tmp_path / "webapps" / "ROOT").mkdir(parents=True)
    (tmp_path / "webapps" / "ROOT" / "hello.txt").write_text("hello\n")
    for name in ("lib", "logs", "temp"):
        (tmp_path / name).mkdir()
    jars = ":".join(map(str, tomcat_jars()))
    program = Program(main="org.apache.catalina.startup.Bootstrap", classes=jars, sources="", markers={})
    return program, [f"-Dcatalina.base={tmp_path}"]


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
        ready = await target.wait_output("Server startup in", stream="stderr")
        port = int(re.findall(r"auto-1-(\d+)", ready)[-1])
        await options(port, answers)
        with trio.fail_after(LIMIT):
            async with jdbpy.attach_session(target.address) as session, open_nursery() as nursery:
                where = "org.apache.catalina.servlets.DefaultServlet.determineMethodsAllowed"
                breakpoint = await session.breakpoints.add(where)
                assert breakpoint.resolved
                nursery.start_soon(options, port, answers)

                stop = await session.next_stop()
                assert isinstance(stop, jdbpy.Stop)
                assert stop.breakpoint == breakpoint.number
                assert stop.thread is not None
                assert "exec" in stop.thread.name

                trace = await session.stack.of()
                methods = [frame.location.method for frame in trace.frames]
                assert methods[:3] == ["determineMethodsAllowed", "doOptions", "service"]
                assert methods[-1] == "run"
                assert await values(session) == {"this": "DefaultServlet", "req": "RequestFacade"}

                stepped = await session.execution.step(jdbpy.StepDepth.OVER)
                assert isinstance(stepped, jdbpy.Stop)
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
        ready = await target.wait_output("Server startup in", stream="stderr")
        port = int(re.findall(r"auto-1-(\d+)", ready)[-1])
        await options(port, answers)
        where = "org.apache.catalina.servlets.DefaultServlet.determineMethodsAllowed"
        words = ["attach", target.address, "--max-suspend", "1", "-c", f"break {where}"]
        async with open_terminal(words, tmp_path) as terminal:
            await terminal.expect("Breakpoint 1 set")
            with trio.fail_after(LIMIT):
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
                ready = await second.wait_output("Server startup in", stream="stderr")
                at = int(re.findall(r"auto-1-(\d+)", ready)[-1])
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
