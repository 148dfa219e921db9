"""Several JVMs at once: jvms, jvm, attach, each; detach is with what leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from fnmatch import fnmatchcase
from typing import Annotated, Any, ClassVar

from jdbpy import ConnectError, FrameInfo, JdbpyError, ThreadInfo, VmState
from jdbpy.cli.arguments.base import WordArgument
from jdbpy.cli.arguments.jvms import CommandText, JvmCommand, JvmPattern
from jdbpy.cli.commands.profiling import ProfileEverywhere, ProfileShown, folded as fold_profiles
from jdbpy.cli.commands.stack import FoldedStacks, running_hint
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import expanded, unknown_command
from jdbpy.cli.jvms import Jvm, Jvms, remote_notice
from jdbpy.cli.output.json_lines import error_data
from jdbpy.cli.output.pieces import (
    Line,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    behind,
    count,
    piece,
    remark,
    some,
    title,
)
from jdbpy.cli.output.places import shared_stack, state_of
from jdbpy.cli.output.plain import error_shown, plain_lines
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.shows import shown, shows
from jdbpy.cli.results import Done, Resumed
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import TABLE, CliCommand, command
from jdbpy.cli.taken import with_way_in
from jdbpy.errors import UsageError
from jdbpy.json_form import HIDDEN, Inline, Json, encode
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

ONE_PLACE = {
    "alias": "it is for the prompt",
    "attach": "it is for the prompt",
    "commands": "its lines are typed for one JVM",
    "detach": "'quit' leaves all",
    "each": "it is for all already",
    "echo": "it is for the prompt",
    "help": "it is for the prompt",
    "on": "it is for one JVM",
    "quit": "it leaves all already",
    "read": "a file of commands may use 'each' itself",
    "reconnect": "it is for one JVM",
    "restart": "it is for one JVM",
    "jvm": "it is for the prompt",
    "jvms": "it is for the prompt",
    "sessions": "it is for the prompt",
    "shell": "it is for the prompt",
    "source": "a file of commands may use 'each' itself",
    "start": "it is for one JVM",
    "wait": "it waits for all already",
}
"""Commands that are not run in several JVMs, with the reason."""

MOST_NAMED = 6
"""JVMs with the same answer that are named."""


class JvmState(Record):
    """A JVM that is debugged here. ``state`` is "gone" for one that went away."""

    json_name = "jvm"

    number: int
    name: str
    address: str
    state: Annotated[str, "running, stopped, gone, or returning: it is attached to again when it comes back"]
    current: Annotated[bool, "commands go to it"]
    vm: Annotated[str, "name of its VM"]
    java: Annotated[str, "its version"]
    where: Annotated[str, "the thread that is selected in it, when it is stopped"] = ""
    tunnel: Annotated[str, "what it is reached through"] = ""
    hold: Annotated[str, "what breakpoints suspend by default: all or thread"] = ""


class JvmList(Record):
    """The JVMs that are debugged here."""

    json_name = "jvms"
    spans_jvms: ClassVar[bool] = True

    jvms: tuple[JvmState, ...]


class EachItem(Record):
    """The outcome of a command in one JVM."""

    json_properties = ("data?", "error?")

    jvm: str
    ok: bool
    result: Annotated[Record | None, HIDDEN] = None
    failure: Annotated[JdbpyError | None, HIDDEN] = None

    @property
    def data(self) -> Mapping[str, Any]:
        """The result, as the command alone gives it."""
        return encode(self.result) if self.result is not None else {}

    @property
    def error(self) -> Mapping[str, Any]:
        """Return why it failed: code, message, hint."""
        return error_data(self.failure) if self.failure is not None else {}


class EachResult(Resumed):
    """The outcomes of a command in several JVMs, in the order of their numbers."""

    json_name = "each"
    spans_jvms: ClassVar[bool] = True

    results: tuple[EachItem, ...] = ()
    missing: Annotated[tuple[str, ...], "JVMs that are gone"] = ()
    command: Annotated[CliCommand | None, HIDDEN] = None
    line: Annotated[str, HIDDEN] = ""

    @property
    def resumes(self) -> bool:
        """True if a target was resumed, so that a batch waits for the next stop."""
        return any(isinstance(item.result, Resumed) for item in self.results)


class JvmThread(Record):
    """A thread of one of several JVMs."""

    jvm: str
    thread: Annotated[ThreadInfo, Inline()]


class JvmStacks(Record):
    """Threads of several JVMs whose stacks are the same."""

    threads: tuple[JvmThread, ...]
    frames: Annotated[tuple[FrameInfo, ...], "the innermost first"]
    error: Annotated[str, "why there are none"] = ""


class FoldedEverywhere(Record):
    """The stacks of the threads of several JVMs, equal ones together."""

    json_name = "folded-everywhere"
    spans_jvms: ClassVar[bool] = True

    groups: Annotated[tuple[JvmStacks, ...], Json("the most frequent first", "stacks")]
    jvms: Annotated[int, "in how many JVMs"]
    failed: Annotated[tuple[EachItem, ...], "JVMs where it failed"] = ()
    pc: Annotated[bool, HIDDEN] = False


# What is shown


@shows(JvmList)
def jvm_list(result: JvmList, settings: Settings) -> Shown:
    yield RowPieces(
        (
            piece("=>" if jvm.current else "", "marker"),
            piece(str(jvm.number), "number"),
            piece(jvm.name, "name"),
            jvm.state + (f" ({jvm.where})" if jvm.where else ""),
            f"{jvm.vm}, Java {jvm.java}",
            jvm.address if jvm.address != jvm.name else "",
        )
        for jvm in result.jvms
    )


@shows(EachResult)
def each_result(result: EachResult, settings: Settings) -> Shown:
    """Equal answers stand once, below the names of the JVMs that gave them."""
    groups: dict[tuple[str, ...], list[EachItem]] = {}
    different: list[tuple[EachItem, tuple[str, ...]]] = []
    for item in result.results:
        lines = next((lines for other, lines in different if _same_answer(item, other)), None)
        if lines is None:
            lines = tuple(plain_lines(_item(item, result, settings)))
            different.append((item, lines))
        groups.setdefault(lines, []).append(item)
    for lines, items in groups.items():
        names = _names([item.jvm for item in items], len(result.results))
        drawn = list(_item(items[0], result, settings))
        if not drawn:
            continue
        if isinstance(drawn[0], str | Pieces | Sentence) and (len(lines) == 1 or items[0].failure is not None):
            yield behind(names + " ", drawn[0])
            yield from drawn[1:]
        else:
            yield names
            yield from drawn
    if result.missing:
        yield remark(f"gone: {some(result.missing, MOST_NAMED)}")


def _same_answer(one: EachItem, other: EachItem) -> bool:
    """True if two answers are the same record: then they are shown in the same words, which need not be compared."""
    return one.failure is None and other.failure is None and one.result is not None and one.result == other.result


def _names(names: Sequence[str], total: int) -> Pieces:
    text = f"all {total}" if len(names) == total > MOST_NAMED else some(names, MOST_NAMED)
    return piece(f"[{text}]", "type")


def _item(item: EachItem, result: EachResult, settings: Settings) -> Shown:
    if item.result is not None:
        yield from shown(item.result, settings)
    if item.failure is not None:
        yield from error_shown(Outcome(result.line, result.command, error=item.failure))


@shows(FoldedEverywhere)
def folded_everywhere(result: FoldedEverywhere, settings: Settings) -> Shown:
    for group in result.groups:
        yield from shared_stack(_group_title(group.threads), group.frames, group.error, settings, pc=result.pc)
    for item in result.failed:
        yield from each_result(EachResult(results=(item,)), settings)
    total = sum(len(group.threads) for group in result.groups)
    different = count(len(result.groups), "different stack")
    yield f"{count(total, 'thread')} in {count(result.jvms, 'JVM')}, {different}"
    yield from running_hint((each.thread, group.error) for group in result.groups for each in group.threads)


def _group_title(threads: Sequence[JvmThread]) -> Line:
    """``3 threads in 2 JVMs, waiting: a 12 "main", b 7 "main"``, as of one JVM."""
    named = some([f'{each.jvm} {each.thread.id} "{each.thread.name}"' for each in threads], MOST_NAMED)
    states = " or ".join(sorted({state_of(each.thread) for each in threads}))
    inside = count(len({each.jvm for each in threads}), "JVM")
    return title(f"{count(len(threads), 'thread')} in {inside}") + f", {states}: {named}"


# What is done


@command("jvms", "info jvms", "inferiors", "info inferiors", group="session")
async def list_jvms(ctx: Context) -> JvmList:
    """List the JVMs that are debugged here, the current one marked.

    `jdbpy attach A B C` debugs several at once, and `attach ADDRESS` adds one. Commands go to the current one, `each
    COMMAND` to all; `logpoint`, `tracepoint` and `catch` are always for all. `jvm NAME` makes another the current
    one; so does a stop, unless the current one is suspended itself.
    """
    if ctx.jvms is None:
        return JvmList((_state(1, Jvm(ctx.session.address, ctx.session.address, ctx.session), current=True),))
    return JvmList(tuple(_state(n, jvm, current=jvm is ctx.jvms.current) for n, jvm in enumerate(ctx.jvms.members, 1)))


@command("jvm", "inferior", group="session")
async def select_jvm(
    ctx: Context, words: Annotated[JvmCommand, JvmPattern()]
) -> Done | EachResult | FoldedEverywhere | ProfileEverywhere:
    """Make another JVM the current one: `jvm orders-2`, or its number. With a command, run that there only.

    `jvm orders-2 where` shows a stack and changes nothing else; `jvm orders-* threads` runs it in all that have such
    names.
    """
    members = _jvms(ctx)
    if words.command:
        return await run_in(ctx, _matching(members, words.name), words.command)
    found = members.find(words.name)
    members.select(found)
    state = _state(1, found, current=True)
    return Done(f"{found.name} is current: {state.state}{f' ({state.where})' if state.where else ''}")


@command("each", group="session")
async def each(ctx: Context, line: Annotated[str, CommandText()]) -> EachResult | FoldedEverywhere | ProfileEverywhere:
    """Run a command in all JVMs side by side: `each threads`, `each break com.acme.Order.total`.

    Equal answers are shown once, with the names of the JVMs. `each where all --fold` shows the stacks that are equal in
    any of them once, `each profile 10s --fold` makes one profile of all. It fails if the command fails everywhere.
    """
    return await run_in(ctx, _jvms(ctx).members, line)


@command("attach", group="session")
async def attach(ctx: Context, address: Annotated[str, WordArgument("[NAME=]ADDRESS")]) -> Done:
    """Debug another JVM in addition to the current ones: `attach 5006`, `attach spare=k8s://shop/orders-2:5005`.

    It becomes the current one, and gets what was set in all: by `each break`, `logpoint`, `tracepoint`, `catch`.
    `detach` leaves it again. The forms of addresses are those of `jdbpy attach`.
    """
    try:
        added = await _jvms(ctx).attach(address)
    except ConnectError as error:
        raise await with_way_in(error) from None
    info = added.session.info
    said = f"attached to {info.address}: {info.name}, Java {info.version}; it is called {added.name}"
    remote = remote_notice(added.session)
    return Done(f"{said}; {remote.text}" if remote is not None else said)


async def run_in(ctx: Context, jvms: Iterable[Jvm], line: str) -> EachResult | FoldedEverywhere | ProfileEverywhere:
    """Run a command in some JVMs side by side. Raises UsageError, or the error of all when it fails everywhere."""
    line = expanded(ctx, line.strip())
    found = TABLE.find(line)
    if found is None:
        raise unknown_command(TABLE, line)
    name = found.command.name
    if name in ONE_PLACE:
        raise UsageError(f"'{name}' cannot be run in several JVMs: {ONE_PLACE[name]}")
    if name == "py" and not line[found.rest :].strip():
        raise UsageError("'py' alone begins lines for one JVM", hint="'each py CODE' runs one line in all")
    wanted = list(jvms)
    chosen = [jvm for jvm in wanted if jvm.lives]
    if not chosen:
        raise UsageError("all of these JVMs have gone", hint="'jvms' lists them")
    if found.command.resumes:  # what runs is left out, unless it is all
        chosen = [jvm for jvm in chosen if jvm.session.state is VmState.STOPPED] or chosen
    if found.command.group == "breakpoints":
        _number_alike(chosen)
    items: dict[str, EachItem] = {}

    async def run(jvm: Jvm) -> None:
        try:
            result = await found.command(jvm.context, line[found.rest :])
            items[jvm.name] = EachItem(jvm.name, True, result)
        except JdbpyError as error:
            items[jvm.name] = EachItem(jvm.name, False, failure=error)

    is_for_all = found.command.group == "breakpoints" and ctx.jvms is not None and wanted == ctx.jvms.members
    for jvm in chosen:
        jvm.context.with_others = True
    try:
        with ctx.jvms.for_all(chosen) if is_for_all and ctx.jvms is not None else nullcontext():
            async with open_nursery() as nursery:
                for jvm in chosen:
                    nursery.start_soon(run, jvm)
    finally:
        for jvm in chosen:
            jvm.context.with_others = jvm.context.interrupted = False
    results = tuple(items[jvm.name] for jvm in chosen)
    if any(isinstance(item.result, Resumed) for item in results):
        for jvm in chosen:
            jvm.context.listed = None
    failures = [item.failure for item in results if item.failure is not None]
    if len(failures) == len(results) and len({error.message for error in failures}) == 1:
        raise failures[0]
    folded = [(item.jvm, item.result) for item in results if isinstance(item.result, FoldedStacks)]
    if folded:
        return _fold(folded, tuple(item for item in results if not item.ok))
    profiles = [(item.jvm, item.result) for item in results if isinstance(item.result, ProfileShown)]
    if profiles:
        failed = [f"{item.jvm}: {item.failure.message}" for item in results if item.failure is not None]
        if (together := fold_profiles(profiles, failed)) is not None:
            return together
    missing = tuple(jvm.name for jvm in wanted if not jvm.lives and jvm.name not in items)
    return EachResult(results=results, missing=missing, command=found.command, line=line)


def _jvms(ctx: Context) -> Jvms:
    if ctx.jvms is None:
        raise UsageError("here only one JVM is debugged", hint="'jdbpy attach A B' debugs several")
    return ctx.jvms


def _matching(jvms: Jvms, pattern: str) -> list[Jvm]:
    if "*" not in pattern:
        return [jvms.find(pattern)]
    found = [jvm for jvm in jvms.members if fnmatchcase(jvm.name, pattern)]
    if not found:
        raise UsageError(f"no JVM is called like '{pattern}'", hint="'jvms' lists them")
    return found


def _number_alike(jvms: Sequence[Jvm]) -> None:
    """Let the next breakpoint have the same number in all of them."""
    used = [jvm.session for jvm in jvms if jvm.session.points_are_used]
    last = max((each.points.last_number for each in used), default=0)
    for jvm in jvms if last else ():
        jvm.session.points.number_next(last + 1)


def _fold(folded: Sequence[tuple[str, FoldedStacks]], failed: tuple[EachItem, ...]) -> FoldedEverywhere:
    groups: dict[object, JvmStacks] = {}
    for jvm, result in folded:
        for group in result.groups:
            key = group.key
            threads = tuple(JvmThread(jvm, thread) for thread in group.threads)
            before = groups.get(key)
            groups[key] = JvmStacks((*before.threads, *threads) if before else threads, group.frames, group.error)
    ordered = sorted(groups.values(), key=lambda group: -len(group.threads))
    return FoldedEverywhere(tuple(ordered), len(folded), failed, any(result.pc for _, result in folded))


def _state(number: int, jvm: Jvm, *, current: bool) -> JvmState:
    session = jvm.session
    state = "returning" if jvm.returning else str(session.state) if jvm.lives else "gone"
    stopped = session.state is VmState.STOPPED and session.ending is None
    return JvmState(
        number,
        jvm.name,
        jvm.address or session.address,
        state,
        current,
        session.info.name,
        session.info.version,
        session.selected_thread_name if stopped else "",
        session.tunnel,
        str(session.default_policy),
    )
