"""run, cont, the steps, suspend, resume, pop, reenter."""

from __future__ import annotations

from contextlib import suppress

from jdbpy import JdbpyError, StateError, StepDepth, StepSize
from jdbpy.jdb.connectors import quoted
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.words import Words

_OUTERMOST = "the outermost frame"
_NO_MORE = "com.sun.jdi.InvalidStackFrameException: No more frames on the stack"


@jdb_command("run", offline=True)
async def run(jdb: Debugger, words: Words) -> None:
    connection = jdb.line.connection
    assert connection is not None
    typed = words.rest()
    if not connection.connector.launches:
        if typed.strip():
            jdb.out.line("'run <args>' command is valid only with launched VMs")
        elif jdb.session is not None:
            await cont(jdb, words)
        return
    if jdb.session is not None:
        jdb.out.line("VM already running. Use 'cont' to continue after events.")
        return
    given = " ".join(map(quoted, jdb.line.main)) or connection.values.get("main", "")
    if typed.strip() and "main" not in connection.values:
        jdb.out.line("Unable to set main class and arguments")
    elif not typed.strip() and not given:
        jdb.out.line("Main class and arguments must be specified")
    else:
        jdb.out.line(f"run {typed if typed.strip() else given}")
        await jdb.connect(typed.strip())


@jdb_command("cont", resumes=True)
async def cont(jdb: Debugger, words: Words) -> None:
    if _nothing_suspended(jdb):
        return
    jdb.let_go()
    with suppress(StateError):  # it runs already: jdb says nothing of that
        await jdb.target.execution.resume()


@jdb_command("step", resumes=True)
async def step(jdb: Debugger, words: Words) -> None:
    out = words.more() and words.next().lower() == "up"
    await _step(jdb, StepDepth.OUT if out else StepDepth.INTO)


@jdb_command("next", resumes=True)
async def next_(jdb: Debugger, words: Words) -> None:
    await _step(jdb, StepDepth.OVER)


@jdb_command("stepi", resumes=True)
async def stepi(jdb: Debugger, words: Words) -> None:
    await _step(jdb, StepDepth.INTO, StepSize.MIN)


@jdb_command("suspend")
async def suspend(jdb: Debugger, words: Words) -> None:
    if not words.more():
        await jdb.target.execution.suspend()
        jdb.out.line("All threads suspended.")
        return
    for word in words.all():
        if (thread := await jdb.thread(word)) is not None:
            await jdb.target.execution.suspend([thread.id])


@jdb_command("resume")
async def resume(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.let_go()
        await jdb.target.execution.unsuspend()
        jdb.out.line("All threads resumed.")
        return
    for word in words.all():
        thread = await jdb.thread(word)
        if thread is not None and thread.suspended:  # it stays so if a stop suspends it as well
            await jdb.target.execution.unsuspend([thread.id])


@jdb_command("pop")
async def pop(jdb: Debugger, words: Words) -> None:
    await _pop(jdb, words)


@jdb_command("reenter")
async def reenter(jdb: Debugger, words: Words) -> None:
    if await _pop(jdb, words):
        await _step(jdb, StepDepth.INTO, StepSize.MIN)


async def _pop(jdb: Debugger, words: Words) -> bool:
    """Pops the frames up to the current one; False if that was not possible, which is said then."""
    index = jdb.frame_index
    if words.more():
        thread = await jdb.thread(words.next())
        if thread is None:
            return False
        index = jdb.frame_index if jdb.current is not None and jdb.current.id == thread.id else 1
        await jdb.target.select_thread(thread.id)
    elif jdb.current is None:
        jdb.out.line("No thread specified.")
        return False
    try:
        await jdb.target.execution.pop(index)
    except JdbpyError as error:
        jdb.out.line(f"Error popping frame - {_NO_MORE if _OUTERMOST in error.message else error.message}")
        return False
    await jdb.follow()
    return True


async def _step(jdb: Debugger, depth: StepDepth, size: StepSize = StepSize.LINE) -> None:
    if _nothing_suspended(jdb) or jdb.current is None:
        return
    thread = jdb.current.id
    try:
        await jdb.target.execution.start_step(depth, size, thread_id=thread)
    except StateError:
        jdb.out.line("Current thread isn't suspended.")
        return
    jdb.let_go()


def _nothing_suspended(jdb: Debugger) -> bool:
    if jdb.current is None:
        jdb.out.line("Nothing suspended.")
        return True
    return False
