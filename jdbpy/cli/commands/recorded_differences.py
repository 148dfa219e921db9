"""What differs between recorded calls that failed and those that did not."""

from __future__ import annotations

from typing import Annotated

from jdbpy import recorded as model
from jdbpy.cli.arguments.recording import FailingArgument
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Sentence, Shown, TablePieces, count, name
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command

_DIFFERENCES = (
    Column("of those calls", style="name", least=16, fold=True),
    Column("failed", right=True, least=6),
    Column("others", right=True, least=6),
)


@shows(model.WhatDiffers)
def differs_shown(result: model.WhatDiffers, settings: Settings) -> Shown:
    if result.condition:
        how = f"'{result.condition}' holds for {count(result.failed, 'call')}, not for {result.returned}"
    else:
        how = f"{count(result.failed, 'call')} failed, {result.returned} did not"
    yield f"{result.method}: {how}"
    if not result.failed or not result.returned:
        missing = "none of these calls failed" if not result.failed else "all of these calls failed"
        yield Sentence(f"{missing}; 'recorded differences if CONDITION' says which calls are wrong")
        return
    if result.differences:
        rows = [
            (each.what, f"{each.failed} of {result.failed}", f"{each.returned} of {result.returned}")
            for each in result.differences
        ]
        yield TablePieces(_DIFFERENCES, rows)
    part = result.parting
    if part is None:
        same = "each goes over the same lines as one of the others"
        yield Sentence(same if result.differences else "nothing that was recorded tells them apart")
        return
    failed, other = (
        f"go to line {each}" if each is not None else "end" for each in (part.failed_line, part.other_line)
    )
    where = f"behind line {part.line}" if part.line else "at the first line"
    yield name(f"they part {where}: ") + f"{part.calls} of {result.failed} {failed}, others {other}"
    for each in part.values:
        one, two = (text if text is not None else "no value" for text in (each.one, each.other))
        yield "  " + name(each.name) + f" = {one} in call {part.failed}, {two} in call {part.other}"


@command("recorded differences", group="breakpoints")
async def recorded_differences(
    ctx: Context, failing: Annotated[str | None, FailingArgument()] = None
) -> model.WhatDiffers:
    """Show what recorded calls that failed have, and others have not: values, lines reached, where they part.

    Those have failed that an exception has ended; `recorded differences if $ret < 0` takes those for which a condition
    holds, as of `recorded if`. The calls are those of the method that has failed last.
    """
    recorder = ctx.session.recorder
    await recorder.refresh()
    found: model.WhatDiffers = recorder.differences(failing or "")
    return found
