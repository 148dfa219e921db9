"""The one way in which the code of classes is replaced while the session goes on.

Leaving has a way of its own: no request stands any more by then, so no other thread of the target looks for ids.

Before release 23 the VM grows a class's table of method ids when one is wanted of a frame in former code, and frees the
old table, in which another thread may be looking at that moment: it gets a number that is no id, and the VM crashes
(docs/agent.md, "Ids of former code"). So these ids are asked for while nothing runs that could look.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.events.target import Target
from jdbpy.wire.messages import thread_reference, virtual_machine

GROWS_BEFORE = 23
"""The release from which on the table grows in the redefinition itself (JDK-8313332)."""


async def redefine(target: Target, definitions: Sequence[virtual_machine.ClassDef]) -> None:
    """Replace the code of classes. Raises JdwpError when the VM refuses; nothing has changed then.

    Where something runs, all threads are suspended for the time. wire: 1 trip; before release 23 two more.
    """
    if target.at_least(GROWS_BEFORE):
        await target.conn.request(virtual_machine.RedefineClasses(definitions))
    elif target.suspension.frozen:
        await _redefine_held(target, definitions)
    else:
        with target.frozen():
            await _redefine_held(target, definitions)
    target.changed_code.replaced.update(each.refType for each in definitions)


async def _redefine_held(target: Target, definitions: Sequence[virtual_machine.ClassDef]) -> None:
    await target.conn.request(virtual_machine.RedefineClasses(definitions))
    threads = await target.ending.list_threads()
    await target.conn.batch([thread_reference.Frames(each, 0, -1) for each in threads if each not in target.frameless])
