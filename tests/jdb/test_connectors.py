"""Connectors and their arguments, right and wrong; beside the JDK's jdb."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.harness import LIMIT, Jvm, Program, inline, program, start_target, within
from tests.harness.targets import reserved_port
from tests.jdb.beside import JDKS, Command, beside
from tests.jdb.differences import interrupted, normalized, without_prompts
from tests.jdb.driving import Driven, drive, ours

JDK = JDKS[-1]
END = re.compile(rb"(?!)")
LAUNCH = "com.sun.jdi.CommandLineLaunch:"
RAW = "com.sun.jdi.RawCommandLineLaunch:"


def _echo() -> Program:
    """A program that puts its arguments and a property into ``Echo.told``, then calls ``Echo.done``.

    It writes no output, because the JDK's jdb shows output from another thread, at any time.
    """
    return inline(
        "import java.util.List;\n"
        "public class Echo { public static void main(String[] a) {"
        ' told = List.of(a) + " " + System.getProperty("x"); done(); } static String told; static void done() { } }'
    )


async def _echoed(driven: Driven) -> str:
    """Run the program from its start to its end; return jdb's answers, ``Echo.told`` among them."""
    answers = [(await driven.answer(line)).text for line in ("stop in Echo.done", "~cont", "print Echo.told")]
    await driven.type("cont")
    return "".join(map(normalized, [*answers, await driven.read(END)]))


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("main=Echo 'a b' \"c,d\",options=-Dx=1 -cp CP", "['a, b', c,d] 1"),
        ('options=\'-Dx=1 2\' "-cp" CP,main=Echo "e f"g  h', "[e f, g, h] 1 2"),
        ("quote=|,main=Echo |a b|,options=-cp CP -Dx=|3 4|,vmexec=java,includevirtualthreads=y", "[a b] 3 4"),
        ("home=HOME,main=Echo,options=-cp CP,suspend=true", "[] null"),
    ],
)
async def test_launching(arguments: str, shown: str) -> None:
    """Quotes and commas in the values, and what each of them does."""
    echo = _echo()

    async def work(command: Command) -> str:
        spec = LAUNCH + arguments.replace("CP", echo.classes).replace("HOME", JDK.home)
        async with drive(command("-connect", spec, "-launch"), JDK) as driven:
            await driven.begin()
            return await _echoed(driven)

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk
    assert f'Echo.told = "{shown}"' in of_ours


async def test_launching_without_a_halt() -> None:
    """suspend=false: nothing is stopped at the start, and what was written by then is shown."""
    ends = program("JdbEnds")

    async def work(command: Command) -> str:
        spec = f"{LAUNCH}main=JdbEnds greets,options=-cp {ends.classes},suspend=false"
        async with drive(command("-connect", spec, "-launch"), JDK) as driven:
            # three threads write jdb's prompt, its "VM Started" and the output; "VM Started" may come at any time
            text = await driven.read(re.compile(rf"(?s)(?=.*{interrupted('ready')}).*> ".encode()))
            assert "Set deferred uncaught java.lang.Throwable\n" in text
            await driven.type("where")
            return (await driven.read(re.compile(rb"(?s)No thread specified\.\n.*> "))).partition("No thread")[1]

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk


@pytest.mark.parametrize("text", ["ready\n", "rea> dy\n", "\nVM Started: ready> \n", "r\neVM Started: ady\n> "])
def test_output_is_found_whatever_jdb_writes_amid_it(text: str) -> None:
    assert re.search(interrupted("ready\n"), text)
    assert not re.search(interrupted("ready\n"), text.replace("d", "") + "d")


async def test_a_raw_command() -> None:
    """The command is run as it is, with the agent that is in it; it connects to the given address."""
    echo = _echo()

    async def work(command: Command) -> tuple[list[str], str]:
        with reserved_port() as port:
            agent = f'"-agentlib:jdwp=transport=dt_socket,address=127.0.0.1:{port}"'
            spec = f'{RAW}command=java {agent} -cp {echo.classes} Echo "a b",address=localhost:{port}'
            async with drive(command("-connect", spec, "-launch"), JDK, env={"PATH": f"{JDK.home}/bin"}) as driven:
                begun = await driven.begin()
                return without_prompts(begun), await _echoed(driven)

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk
    assert "[a b] null" in of_ours[1]


async def test_a_raw_command_does_not_run() -> None:
    async def work(command: Command) -> str:
        async with drive(command("-connect", f"{RAW}command=java,address=1"), JDK) as driven:
            await driven.read()
            return (await driven.answer("run")).text + (await driven.answer("run Main x")).text

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk


@pytest.mark.parametrize(
    "arguments",
    [
        "com.sun.jdi.Nope:port=1",
        "com.sun.jdi.SocketAttach",
        "com.sun.jdi.SocketAttach:port",
        "com.sun.jdi.SocketAttach:nope=1",
        "com.sun.jdi.SocketAttach:port=x",
        "com.sun.jdi.SocketAttach:hostname=localhost",
        "com.sun.jdi.SocketAttach:port=1,timeout=-1",
        "com.sun.jdi.SocketListen:timeout=1.5",
        "com.sun.jdi.ProcessAttach:timeout=1",
        f"{LAUNCH}main=X,suspend=maybe",
        f"{LAUNCH}main=X,quote=ab",
        f"{LAUNCH}main=X,vmexec=",
        f"{RAW}command=java",
    ],
)
async def test_wrong_arguments(arguments: str) -> None:
    """jdb's words, without the Java stack and the name of the exception around them; we name the argument too."""
    async with drive(ours("-connect", arguments, "-launch"), JDK) as driven:
        text = await driven.read(END)
        assert await driven.process.wait() == 0
    name = re.compile(r"No connector named: |Illegal connector argument: |Argument \w+ is not defined for connector: ")
    if text.startswith("Internal exception:\n"):
        assert name.match(text.removeprefix("Internal exception:\n"))
    else:
        assert re.fullmatch(
            r"(Argument (invalid|unspecified)|Invalid length): \w+\n\nFatal error:\nInternal debugger error.\n", text
        )


async def test_wrong_arguments_beside_jdb() -> None:
    """One of each kind."""

    async def work(command: Command) -> list[str]:
        texts = []
        for arguments in (
            "com.sun.jdi.SocketAttach:nope=1",
            "com.sun.jdi.SocketAttach:port=x",
            f"{LAUNCH}main=X,quote=ab",
        ):
            async with drive(command("-connect", arguments, "-launch"), JDK) as driven:
                text = await driven.read(END)
                text = re.sub(r"(?m)^\tat .*\n|^[\w.]+Exception: ", "", text)
                texts.append(re.sub(r"(?m)^(Argument invalid|Invalid length): \w+$", r"\1", text))
        return texts

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk


async def test_attaching_by_process() -> None:
    """By its id, where the agent chose the port itself."""
    async with start_target(JDK, "JdbTour") as target:
        async with drive(ours("-connect", f"com.sun.jdi.ProcessAttach:pid={target.process.pid}"), JDK) as driven:
            assert "VM Started: " in await driven.begin()
            await driven.type("quit")
            await driven.read(END)
        await target.wait_output("total")


@pytest.mark.parametrize("jdk", JDKS, ids=lambda jdk: f"jdk{jdk.feature}")
async def test_attaching_by_process_to_an_agent_from_elsewhere(jdk: Jvm, tmp_path: Path) -> None:
    """Where the command line does not tell of it the JVM is asked, as by the JDK's jdb; one without is refused."""
    options = tmp_path / "options"
    options.write_text("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0\n")
    for words, told in (((f"@{options}",), "> "), ((), "it has no debugger agent")):
        async with start_target(jdk, "JdbEnds", "greets", with_agent=False, jvm_options=words) as target:
            await target.wait_output("ready")
            async with drive(ours("-connect", f"com.sun.jdi.ProcessAttach:pid={target.process.pid}"), jdk) as driven:
                assert told in await driven.read(re.compile(rb"> $|(?!)"))


async def test_limits_of_waiting() -> None:
    """Nobody connects within the time of ``timeout``, in milliseconds."""
    async with drive(ours("-connect", "com.sun.jdi.SocketListen:timeout=50,localAddress=127.0.0.1"), JDK) as driven:
        with within(LIMIT):
            text = await driven.read(END)
        assert re.match(r"Listening at address: localhost:\d+\nno JVM connected within 0.05 seconds\n", text)
        assert text.endswith("\nFatal error:\nUnable to attach to target VM.\n")
