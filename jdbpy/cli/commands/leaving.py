"""Ending the session: quit, detach; and what it is connected to: version."""

from __future__ import annotations

from typing import Annotated

from jdbpy import __version__
from jdbpy.cli.arguments.base import Number, Option
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Sentence, Shown
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.json_form import SCHEMA_VERSION
from jdbpy.record import Record


class Left(Record):
    """The debugger leaves. ``action``: "detached" (the target runs on) or "terminated"."""

    action: Annotated[str, "detached (the target runs on) or terminated"]
    message: str


class Version(Record):
    """The versions of jdbpy and of the target."""

    jdbpy: str
    schema: Annotated[int, "the version of this schema"]
    vm: str
    java: str
    jdwp: str
    description: str
    address: str
    remote: Annotated[bool, "the JVM counts as one on another machine"]
    hold: Annotated[str, "what breakpoints suspend by default: all or thread"]
    tunnel: Annotated[str, "what it is reached through"] = ""


_WHOM = {"all": "all threads", "thread": "only the thread that hits"}


@shows(Left)
def left(result: Left, settings: Settings) -> Shown:
    yield result.message


@shows(Version)
def version_shown(result: Version, settings: Settings) -> Shown:
    yield f"jdbpy {result.jdbpy}, JSON form {result.schema}"
    yield f"target {result.address}: {result.vm}, Java {result.java}, JDWP {result.jdwp}"
    yield from (f"  {line}" for line in result.description.splitlines())
    where = f"remote, reached through {result.tunnel}" if result.tunnel else "remote" if result.remote else "local"
    yield Sentence(f"the target counts as {where}; 'break' suspends {_WHOM.get(result.hold, result.hold)}")


@command("quit", "exit", "q", group="session")
async def quit_(
    ctx: Context,
    status: Annotated[int, Number("STATUS", 0, 255, help="the exit status of the target")] = 0,
    *,
    kill: Annotated[bool, Option("--kill", help="end the target too, with STATUS")] = False,
) -> Left | Done:
    """Leave. A target that was attached to runs on, one that was launched is ended.

    `exit --kill` ends an attached target too; `detach` lets a launched one run on.
    """
    session = ctx.session
    if status and not kill:
        raise UsageError("STATUS goes with --kill", hint="usage: exit --kill STATUS")
    if kill and not await ctx.confirm(f"end the target at {session.address}?"):
        return Done("nothing was done")
    ctx.leaving = True
    if kill:
        await session.exit(status)
        return Left("terminated", f"the target was ended with status {status}")
    if ctx.jvms is not None and ctx.jvms.on_quit is not None:
        return Left("terminated", ctx.jvms.on_quit())
    if session.ending is not None and (ctx.jvms is None or not ctx.jvms.go_on):
        return Left("terminated", "the target has ended")
    if session.launched:
        return Left("terminated", "the target is ended")
    if ctx.jvms is not None and ctx.jvms.several:
        await ctx.jvms.detach_all()
        return Left("detached", "all targets run on")
    return await _detach(ctx)


@command("detach", group="session")
async def detach(ctx: Context) -> Left:
    """Leave and let the target run on, also one that was launched. Of several JVMs only the current one is left."""
    if ctx.jvms is not None and ctx.jvms.on_detach is not None:
        ctx.leaving = True
        return Left("detached", ctx.jvms.on_detach())
    if ctx.jvms is not None and len(ctx.jvms.members) > 1:
        jvm = ctx.jvms.current
        await ctx.jvms.remove(jvm)
        return Left("detached", f"{jvm.name} runs on; {ctx.jvms.current.name} is current")
    ctx.leaving = True
    return await _detach(ctx)


@command("version", "info target", "info vm", group="session")
async def version(ctx: Context) -> Version:
    """Show the versions of jdbpy and of the target's VM, and where the target is."""
    info = ctx.session.info
    jdwp = f"{info.jdwp_major}.{info.jdwp_minor}"
    session = ctx.session
    return Version(
        __version__,
        SCHEMA_VERSION,
        info.name,
        info.version,
        jdwp,
        info.description,
        info.address,
        session.remote,
        str(session.default_policy),
        session.tunnel,
    )


async def _detach(ctx: Context) -> Left:
    if ctx.session.ending is not None:
        return Left("terminated", "the target has ended")
    await ctx.session.detach()
    if ctx.session.snapshot_info is not None:
        return Left("detached", "the snapshot is closed")
    return Left("detached", "the target runs on")
