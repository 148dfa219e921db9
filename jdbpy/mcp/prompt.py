"""The tool for all other commands of the prompt, by the door that ``cli`` has for other front ends."""

from __future__ import annotations

from typing import Annotated
from weakref import WeakKeyDictionary

import trio

from jdbpy import Session, TimedOut
from jdbpy.cli.embedded import PromptLines
from jdbpy.mcp.answers import Body, CommandFailed
from jdbpy.mcp.debugging import Debugging
from jdbpy.mcp.tools import Within, tool

_LINES: WeakKeyDictionary[Session, PromptLines] = WeakKeyDictionary()


@tool(changes=True)
async def command(
    debugging: Debugging,
    line: Annotated[str, "such as: histogram com.acme.*, threadlocks, classes com.acme.*, disassemble Order.total"],
    timeout: Annotated[float, "seconds", Within(0.1, 3600)] = 30.0,
) -> Body:
    """Any other command of jdbpy's prompt; 'help' names them, 'help NAME' explains one. Those that resume return at
    once; run_until_stop brings the stop. Commands that run programs or open files of the server's machine are refused.
    """
    session = (await debugging.vm()).session
    lines = _LINES.setdefault(session, PromptLines(session))
    async with debugging.using_prompt:
        with trio.move_on_after(timeout) as scope:
            return {"results": _succeeded(await lines.run(line))}
    assert scope.cancelled_caught
    raise TimedOut(f"'{line[:100]}' has not ended within {timeout:g} seconds", hint="give a longer timeout")


def _succeeded(results: list[Body]) -> list[Body]:
    """Return the results of the commands of a line. Raises CommandFailed where one has failed."""
    for number, each in enumerate(results):
        if not each["ok"]:
            error = each["error"]
            failed = CommandFailed(error["message"], hint=error.get("hint", ""), code=error["code"])
            failed.results = [_brief(before) for before in results[:number]]
            raise failed
    return [_brief(each) for each in results]


def _brief(result: Body) -> Body:
    """Return a result, of the list of all commands only the names, by group."""
    data = result.get("data", {})
    if not (isinstance(data, dict) and result["command"].split()[0] in ("help", "h", "?") and not data.get("topic")):
        return result
    entries = data.get("commands")
    if not isinstance(entries, list):
        return result
    groups: dict[str, list[str]] = {}
    for each in entries:
        groups.setdefault(each["group"], []).append(each["name"])
    named = {group: ", ".join(names) for group, names in groups.items()}
    return {**result, "data": {"commands": named, "more": "'help GROUP' says more of each, 'help NAME' all of one"}}
