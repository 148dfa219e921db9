"""What is measured. A case is an async function of a ``Bench`` that gives one result or several."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from benchmarks.bench import Bench
from benchmarks.cases import (
    attach,
    dap,
    events,
    fleet,
    hits,
    jdb_mode,
    library,
    memory,
    messages,
    requests,
    snapshots,
    stacks,
    startup,
    stops,
    tomcat,
    values,
)
from benchmarks.figures import Result

CASES: dict[str, Callable[[Bench], Awaitable[list[Result]]]] = {
    "start-up": startup.run,
    "attach": attach.run,
    "jdb-mode": jdb_mode.run,
    "where-all": stacks.where_all,
    "fold": stacks.fold,
    "paging": stacks.paging,
    "threads": stacks.threads,
    "locals": values.locals_,
    "dump": values.dump,
    "hit": stops.hit,
    "dap": dap.run,
    "step": stops.steps,
    "condition": hits.condition,
    "handlers": hits.handlers,
    "in-target": hits.in_target,
    "tomcat": tomcat.run,
    "clocks": tomcat.clocks,
    "logpoint": hits.logpoint,
    "entries": hits.entries,
    "classes": library.classes,
    "memory": memory.run,
    "requests": requests.run,
    "messages": messages.run,
    "snapshot": snapshots.run,
    "events": events.run,
    "fleet": fleet.run,
}
