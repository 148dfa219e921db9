"""The tool for all other commands of the prompt, by the door that ``cli`` has for other front ends."""

from __future__ import annotations

from typing import Annotated
from weakref import WeakKeyDictionary

import trio

from jdbpy import Session, TimedOut
from jdbpy.cli.other_front_ends import PromptLines
from jdbpy.mcp.answers import Body
from jdbpy.mcp.debugging import Debugging
from jdbpy.mcp.tools import Within, tool

_LINES: WeakKeyDictionary[Session, PromptLines] = WeakKeyDictionary()


@tool()
async def command(
    debugging: Debugging,
    line: Annotated[str, "such as: histogram com.acme.*, threadlocks, classes com.acme.*, disassemble Order.total"],
    timeout: Annotated[float, "seconds", Within(0.1, 3600)] = 30.0,
) -> Body:
    """Any other command of jdbpy's prompt; 'help' lists them, 'help NAME' explains one. Those that resume return at
    once; run_until_stop brings the stop. Commands that run programs or open files of the server's machine are refused.
    """
    session = (await debugging.vm()).session
    lines = _LINES.setdefault(session, PromptLines(session))
    async with debugging.using_prompt:
        with trio.move_on_after(timeout) as scope:
            return {"results": await lines.run(line)}
    assert scope.cancelled_caught
    raise TimedOut(f"'{line[:100]}' has not ended within {timeout:g} seconds", hint="give a longer timeout")
