"""Commands about the VM as a whole on every JVM: their JSON, checked against the shapes and for what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

LEDGER = program("Ledger")


def values(listed: list[dict[str, Any]]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in listed}


def packages(accesses: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {each["name"]: each["to"] for each in accesses}


def _is_opened(data: Any) -> bool:
    """True if one package of java.base was opened; before 17 all packages of Java 8 are open."""
    opens = packages(data["opens"])
    return opens == {"sun.nio.ch": ["ALL-UNNAMED"]} or (data["module"]["version"] < "17" and "java.io" in opens)


def steps(directory: Path) -> list[tuple[str, Callable[[Any], object]]]:
    """Lines, and what the data of each result must satisfy; the program stands at a breakpoint."""
    return [
        ("vm", lambda d: d["command"] == "Ledger" and d["processors"] and d["process"] and "notes" not in d),
        ("uptime", lambda d: d["uptime"] > 0 and d["nano_time"] and d["now"] > d["started"] - 1),
        ("capabilities", lambda d: all(each["meaning"] for each in d["capabilities"])),
        ("properties java.vm.*", lambda d: "java.vm.name" in values(d["properties"]) and d["pattern"] == "java.vm.*"),
        ("property shop.name = Blümchen & Co", lambda d: d["value"] == "Blümchen & Co" and d["old"] is None),
        ("property shop.name", lambda d: values(d["properties"]) == {"shop.name": "Blümchen & Co"}),
        ("property -d shop.name", lambda d: d["value"] is None and d["old"] == "Blümchen & Co"),
        ("classpath", lambda d: d["class_path"] and d["java_home"] and d["base"]),
        (f"classpath add {directory}", lambda d: str(directory) in d["message"]),
        ("flags -w HeapDump", lambda d: all(each["writeable"] for each in d["flags"]) and len(d["flags"]) > 2),
        ("flags -c", lambda d: all(each["origin"] != "default" for each in d["flags"])),
        ("flag HeapDumpOnOutOfMemoryError = true", lambda d: d["flags"][0]["value"] == "true"),
        ("flag HeapDumpOnOutOfMemoryError", lambda d: d["flags"][0]["origin"] == "management"),
        ("jcmd VM.version", lambda d: "JDK" in d["text"] and d["command"] == "VM.version"),
        ("jcmd", lambda d: "VM.version" in d["text"]),
        ("top -n 3", lambda d: d["since_start"] and len(d["threads"]) == 3 and d["memory"] and d["thread_count"] > 3),
        (
            "mbean java.lang:type=Runtime SpecName",
            lambda d: d["mbeans"][0]["attributes"][0]["value"].startswith("Java"),
        ),
        ("mbean java.util.logging:type=Logging getLoggerLevel nonesuch", lambda d: d["value"] is None),
        ("mbean java.lang:type=Memory Verbose = false", lambda d: d["mbeans"][0]["attributes"][0]["value"] is False),
        ("mbean memory", lambda d: "java.lang:type=Memory" in d["names"] and d["pattern"] == "memory"),
        ("logger root FINE", lambda d: d["contexts"][0]["loggers"][0]["effective"] == "FINE"),
        ("logger", lambda d: [each["framework"] for each in d["contexts"]] == ["java.util.logging"]),
        ("modules java.*", lambda d: {"java.base", "java.logging"} <= {each["name"] for each in d["modules"]}),
        ("module reads java.logging java.management", lambda d: "reads" in d["message"]),
        ("module exports java.base sun.nio.cs java.logging", lambda d: "exports" in d["message"]),
        ("module opens java.base sun.nio.ch", lambda d: "ALL-UNNAMED" in d["message"]),
        ("module uses java.logging java.lang.Runnable", lambda d: "uses" in d["message"]),
        ("module provides java.logging java.lang.Runnable java.lang.Thread", lambda d: "provides" in d["message"]),
        ("module java.logging", lambda d: d["reads"] == ["java.base", "java.management"] and d["uses"]),
        ("module java.lang.String", _is_opened),
        ("module Ledger", lambda d: d["module"]["kind"] == "unnamed" and d["module"]["loader"] == "app"),
    ]


@pytest.mark.every_java
async def test_every_command_about_the_vm(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    lines = ["stop in Ledger.main", "run", *(line for line, _ in expected)]
    done = await jdbpy(*launching(LEDGER.on(jvm), "--json", "--keep-going", *script(*lines)), jvm=jvm)
    wrong = [
        f"{line}: {found}"
        for (line, check), found in zip(expected, done.results[2:], strict=True)
        if not (check(found["data"]) if found["ok"] else jvm.feature == 8 and _came_later(found))
    ]
    assert not wrong, "\n".join(wrong)


def _came_later(found: dict[str, Any]) -> bool:
    """True if that is a refusal of what Java 8 does not have, with the version that has it."""
    return "module" in found["command"] and found["error"]["hint"] == "they came with Java 9"


async def test_what_cannot_be_says_why(any_jvm: Jvm) -> None:
    refused = {
        "property no.such": "no system property",
        "property -d a = b": "without a value",
        "flag Nonesuch": "no flag",
        "flag UseSerialGC = true": "not writeable",
        "jcmd VM.nonesuch": "Unknown diagnostic command",
        "module no.such": "no module",
        "module opens java.base no.such": "no.such",
        "mbean no.such": "no MBean like",
        "mbean java.lang:type=Memory nonesuch": "no attribute or operation",
        "top every 5s": "a script has to say how long",
        "top every": "a time is missing",
        "logger root LOUD": "not a level of java.util.logging",
        "threads --virtual": "no virtual threads" if any_jvm.feature < 21 else "",
    }
    lines = [line for line, why in refused.items() if why]
    done = await jdbpy(
        *launching(LEDGER, "--json", "--keep-going", *script("stop in Ledger.main", "run", *lines)), jvm=any_jvm
    )
    found = {each["command"]: each["error"] for each in done.results[2:]}
    assert [line for line in lines if refused[line] not in found[line]["message"]] == []
    assert [line for line in lines if not found[line]["hint"] and not line.startswith("module opens")] == []


async def test_before_the_start(any_jvm: Jvm) -> None:
    """No thread of a program can run a method before its start: the debugger's own does."""
    lines = ["properties java.home", "vm", "modules java.base", "uptime", "flags", "jcmd"]
    done = await jdbpy(*launching(LEDGER, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    about = {each["command"]: each for each in done.results}
    assert about["properties java.home"]["data"]["properties"][0]["value"] == any_jvm.home
    assert about["vm"]["data"]["processors"] > 0
    assert all(about[line]["ok"] for line in ("modules java.base", "uptime", "flags", "jcmd"))
