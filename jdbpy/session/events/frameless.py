"""Internal VM threads that must not be asked for their frames.

Once the flight recorder has been used, HotSpot 8 has a thread that never counts as suspended: each request for its
frames blocks the agent for 6 seconds (docs/agent.md, "A thread of Java 8's flight recorder").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.wire.messages import thread_reference, virtual_machine

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target

_NAMES = ("JFR Recorder Thread",)
_MENDED = 9


async def find_frameless(target: Target) -> None:
    """Enter such threads into ``target.frameless`` once the flight recorder has been used. wire: 2 trips with Java 8,
    else none."""
    if target.at_least(_MENDED):
        return
    threads = (await target.conn.request(virtual_machine.AllThreads())).threads
    names = await target.conn.batch([thread_reference.Name(each) for each in threads])
    target.frameless |= {
        int(thread)
        for thread, name in zip(threads, names, strict=True)
        if isinstance(name, thread_reference.NameReply) and name.threadName in _NAMES
    }
