"""Plug-ins: commands, views and hooks from a file of the user; and lines of Python beside a session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from jdbpy import PluginError, Session, UsageError
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.names import Names
from jdbpy.cli.plugin_commands import add_plugin
from jdbpy.cli.repl.completion import complete_line
from jdbpy.cli.repl.loop import load_configured_plugins
from jdbpy.plugins import LOADED
from jdbpy.plugins.loading import load
from tests.cli.process import jdbpy, launching, script
from tests.cli.prompt import CTRL_C, CTRL_D, attached
from tests.harness import Jvm, program, start_target

LEDGER = program("Ledger")

PLUGIN = '''
from typing import Annotated, Literal
import jdbpy
from jdbpy.sync import Frame, Vm

print("loaded")

@jdbpy.command(complete={"name": ["this", "parent"]})
def owner_of(frame: Frame, name: str = "this", *, upper: Annotated[bool, "in capitals"] = False, times: int = 1) -> str:
    """Tell who owns a ledger: `owner-of this`.

    Not more.
    """
    print("asked for", name)
    found = frame[name]["owner"].string
    return (found.upper() if upper else found) * times

@jdbpy.command("amounts", "am")
async def table(frame):
    """List the amounts."""
    value = await frame["amounts"]
    return [{"amount": await each.python()} async for each in value.children]

@jdbpy.command
def broken(vm: Vm) -> None:
    """Fail."""
    fails()

def fails():
    return 1 // 0

@jdbpy.command
def refuses(vm, why: Literal["no", "never"]):
    """Refuse."""
    raise jdbpy.UsageError(f"there is {why} such ledger", hint="look again")

@jdbpy.command(resumes=True, repeats=True)
def go_on(stop, *, really: bool = False):
    """Let the target run, or not."""
    if really:
        stop.resume()
    return "runs" if really else "stands"

@jdbpy.view("Ledger")
def ledger(owner, amounts, parent):
    if parent is None:
        return f"ledger of {owner}"
    return {"owner": owner, "amounts": amounts, "above": parent, "n": 3}

@jdbpy.view("Ledger$Entry")
async def entry(obj):
    [value] = await obj.read("value")
    return f"entry of {jdbpy.views.number(value)}"

@jdbpy.on("stop")
def at(stop, vm):
    print("hook at", stop.place.method, stop.place.line)
    if stop.place.class_name.endswith("Entry"):
        print(stop.frame.eval("this"))
        stop.resume()

@jdbpy.on("exited")
async def ended(event):
    print("hook: it ended with", event.status)

@jdbpy.on("notice", "hit")
def noticed(event, hit=None):
    if hit is not None:
        raise ValueError(f"hit of {hit.event}")
'''


def write(file: Path, text: str) -> None:
    """Write a file that only this user may write."""
    file.write_text(text)
    file.chmod(0o600)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    file = tmp_path / "ledger.py"
    write(file, PLUGIN)
    return file


@pytest.fixture
def unplugged() -> Iterator[None]:
    """Takes away what the test loads into this process."""
    yield
    for path in list(LOADED):
        TABLE.remove(f"plug-in {path}")
        del LOADED[path]


async def test_commands_views_and_hooks(jvm: Jvm, plugin: Path) -> None:
    lines = (
        f"stop at Ledger:{LEDGER.line('overload')}",
        f"stop at Ledger:{LEDGER.line('entry')}",
        f'logpoint Ledger:{LEDGER.line("call")} "x"',
        f"stop at Ledger:{LEDGER.line('result')}",
        "cont",
        "owner-of --upper --times 2 this",
        "am",
        "print this",
        "broken",
        "refuses never",
        "refuses perhaps",
        "owner-of --times x",
        "go-on",
        "go-on --really",
        "cont",
        "py stop",
    )
    options = ("--json", "--keep-going", "-p", str(plugin), *script(*lines))
    done = await jdbpy(*launching(LEDGER, *options), jvm=jvm)
    printed = "".join(each["text"] for each in done.events("output") if each["stream"] == "python")
    assert printed.splitlines() == [
        "loaded",
        f"hook at total {LEDGER.line('overload')}",
        "asked for this",
        f"hook at total {LEDGER.line('result')}",
        f"hook at read {LEDGER.line('entry')}",
        "entry of 7",
        "hook: it ended with 0",
    ], done.out
    by_line = {each["command"]: each for each in done.results}
    assert by_line[lines[5]]["data"] == {"type": "str", "value": "ADAADA"}
    assert by_line["go-on"]["data"] == {"type": "str", "value": "stands"}, "nothing is waited for"
    gone_on = by_line["go-on --really"]["data"]
    assert (gone_on["value"], gone_on["stop"]["location"]["line"]) == ("runs", LEDGER.line("result"))
    assert by_line["am"]["data"]["value"] == [{"amount": 10}, {"amount": 20}, {"amount": 30}]
    assert by_line["print this"]["data"]["value"] == 'Ledger[owner="Ada", amounts=int[3], above=ledger of Ben, n=3]'
    assert {line: by_line[line]["error"] for line in ("broken", "refuses never")} == {
        "broken": {
            "code": "PLUGIN",
            "message": f"ledger.py, line {PLUGIN[: PLUGIN.index('1 // 0')].count(chr(10)) + 1}: "
            "ZeroDivisionError: integer division or modulo by zero",
            "hint": "",
        },
        "refuses never": {"code": "USAGE", "message": "there is never such ledger", "hint": "look again"},
    }
    assert by_line["refuses perhaps"]["error"]["hint"] == "usage: refuses no|never"
    assert by_line["owner-of --times x"]["error"]["message"] == "'x' is not a whole number"
    assert done.results[-1]["data"]["text"] == "<no stop: the target has ended>"
    assert "exited" in done.results[-2]["data"], "a stop that a hook has resumed is none that cont waits for"
    failed = [each["message"] for each in done.events("notice") if each["kind"] == "warning"]
    assert [each.rpartition(": ")[2] for each in failed] == ["hit of breakpoint"]


async def test_python_in_a_batch(jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("py\ndef twice(n):\n\n    return 2 * n\nprint(twice(4))\ntwice(5)\nend\npy _ + 1\n")
    recording = tmp_path / "recording"
    lines = (
        "py frame",
        "py frame.line",
        "stop in Ledger.total",
        "cont",
        'py frame["this"]["owner"].string',
        "py [each.name for each in vm.threads if each.name.startswith('helper')]",
        f"read {file}",
        "py 1 +",
        "py len(thread.next(timeout=30).frame.locals)",
    )
    options = ("--json", "--keep-going", "--record", str(recording), *script(*lines))
    done = await jdbpy(*launching(LEDGER, *options), jvm=jvm)
    results = [each["data"] if each["ok"] else each["error"] for each in done.results]
    assert results[0]["text"].startswith("<no frame: "), done.out
    assert results[1]["message"].startswith("no frame: ")
    assert [each["value"] for each in results[4:6]] == ["Ada", ["helper one"]]
    assert results[6:9] == [
        {"type": "", "value": None},
        {"type": "int", "text": "10", "value": 10},
        {"type": "int", "text": "11", "value": 11},
    ]
    assert results[10] == {"code": "PLUGIN", "message": "line 1: SyntaxError: invalid syntax", "hint": ""} or (
        "SyntaxError: invalid syntax" in results[10]["message"]
    )
    assert results[11]["value"] == 3
    again = await jdbpy("replay", str(recording), "--json")
    assert {each["error"]["code"] for each in again.results if each["command"].startswith("py")} == {"REFUSED"}


async def test_a_read_only_session_stays_one_and_a_limit_of_time_ends_what_computes(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        # The first line only loads what runs Python, which may take its time.
        lines = script("py 0", "py vm.pause()", "py", "while True: pass", "end", "py vm.wait()", "py 1")
        done = await jdbpy("attach", target.address, "--json", "--read-only", "--keep-going", "--timeout", "2", *lines)
        codes = [each["error"]["code"] if not each["ok"] else each["data"]["value"] for each in done.results]
        assert codes[1:] == ["READ_ONLY", None, "TIMED_OUT", "TIMED_OUT", 1]


async def test_who_may_have_written_it(any_jvm: Jvm, plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(plugin.parent)
    monkeypatch.setenv("HOME", str(plugin.parent / "home"))
    os.chmod(plugin, 0o620)
    done = await jdbpy("attach", "127.0.0.1:1", "-p", "ledger.py", "--batch")
    assert done.status == 2
    assert "error: the plug-in ledger.py is not loaded: it may be written by others" in done.err
    os.chmod(plugin, 0o600)
    write(plugin, 'import jdbpy\n@jdbpy.command("locals")\ndef mine(vm):\n    """Help."""\n')
    done = await jdbpy("attach", "127.0.0.1:1", "-p", "ledger.py", "--batch")
    assert (done.status, done.err) == (2, "error: ledger.py, line 2: there is a command 'locals' already\n")
    link = plugin.parent / "open" / "link.py"
    link.parent.mkdir()
    link.symlink_to(plugin)
    link.parent.chmod(0o777)
    with pytest.raises(UsageError, match="its directory may be written by others"):
        load(str(link))  # others may have made the link: to any file of this user's
    os.chmod(plugin, 0o620)
    loads = ("source ledger.py", "source nothing.py", "plugins", "owner-of this")
    done = await jdbpy(*launching(LEDGER, "--json", "--keep-going", *script(*loads)), jvm=any_jvm)
    codes = [each["error"]["code"] if not each["ok"] else each["data"] for each in done.results]
    assert codes == ["NOT_TRUSTED", "NO_SUCH_FILE", {"plugins": []}, "UNKNOWN_COMMAND"]


async def test_commands_are_completed_explained_and_loaded_again(
    plugin: Path, unplugged: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_plugin(load(str(plugin)))
    command = TABLE.by_name["owner-of"]
    assert command.usage == "owner-of [--upper] [--times TIMES] [NAME]"
    assert (command.summary, command.details) == ("Tell who owns a ledger: `owner-of this`.", "Not more.")
    assert [each.text for each in complete_line(TABLE, "owner", Names())] == ["owner-of"]
    assert [each.text for each in complete_line(TABLE, "owner-of th", Names())] == ["this"]
    assert [each.text for each in complete_line(TABLE, "owner-of --u", Names())] == ["--upper"]
    with pytest.raises(UsageError, match="Python is not run here"):
        await command(Context(cast(Session, None)), "")
    faults = {
        '"where"': ("there is a command 'where' already", '"""Help."""'),
        '"x"': ("the command x has no docstring", "pass"),
    }
    for name, (message, body) in faults.items():
        write(plugin, f"import jdbpy\n@jdbpy.command({name})\ndef x(vm):\n    {body}\n")
        with pytest.raises(PluginError, match=f"ledger.py, line 2: {message}"):
            add_plugin(load(str(plugin)))
    assert (TABLE.by_name["go-on"].resumes, TABLE.by_name["go-on"].repeats) == (True, "again")
    twice = '@jdbpy.command("one")\ndef {}(vm):\n    """Help."""\n'
    write(plugin, "import jdbpy\n" + twice.format("first") + twice.format("second"))
    with pytest.raises(PluginError, match=r"ledger\.py, line 5: there is a command 'one' already"):
        add_plugin(load(str(plugin)))
    write(plugin, 'import jdbpy\n@jdbpy.command(complete={"to": "class"})\ndef other(vm, at):\n    """Help."""\n')
    with pytest.raises(PluginError, match=r"ledger\.py, line 2: other has no argument 'to' that could be completed"):
        add_plugin(load(str(plugin)))
    write(plugin, 'import jdbpy\n\n@jdbpy.command\ndef other(vm, at: bytes):\n    """Help."""\n')
    with pytest.raises(PluginError, match=r"ledger\.py, line 3: no argument can be a bytes"):
        add_plugin(load(str(plugin)))
    write(plugin, "import jdbpy\n\n\n@jdbpy.on('stopp')\ndef hook(vm):\n    pass\n")
    with pytest.raises(PluginError, match=r"ledger\.py, line 4: unknown event 'stopp'") as failed:
        load(str(plugin))
    assert failed.value.hint.startswith("one of connected, stop,")
    assert TABLE.get("owner-of") is command, "what fails takes nothing away"
    folder = plugin.parent / "home/.config/jdbpy/plugins"
    folder.mkdir(parents=True)
    write(folder / "bad.py", "x = (\n")
    write(folder / "good.py", 'import jdbpy\n@jdbpy.command\ndef fine(vm):\n    """Help."""\n')
    monkeypatch.setenv("HOME", str(plugin.parent / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert await load_configured_plugins() == "bad.py, line 1: SyntaxError: '(' was never closed\n"
    assert TABLE.get("fine") is not None


async def test_python_at_the_prompt(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, _):
        await terminal.prompt("main[1]")
        await terminal.run("py", then=">>>")
        await terminal.run("for n in (1, 2):", then="...")
        await terminal.run("    print('n is', n)", then="...")
        terminal.type("\r")
        await terminal.expect("n is 1", "n is 2")
        await terminal.prompt(">>>")
        await terminal.run("vm.is_suspended", "True", then=">>>")
        await terminal.run("while True: pass", then="...")
        terminal.type("\r")
        await terminal.wait_until(lambda: terminal.modes == terminal.modes_before, "the loop to run")
        terminal.type(CTRL_C)
        await terminal.expect("interrupted")
        await terminal.prompt(">>>")
        await terminal.run("if True:", then="...")
        terminal.type(CTRL_C)
        await terminal.prompt(">>>")
        terminal.type(CTRL_D)
        await terminal.prompt("main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
