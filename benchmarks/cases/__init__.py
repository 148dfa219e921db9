"""What is measured. A case is an async function of a ``Bench`` that gives one result or several."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from benchmarks.bench import Bench
from benchmarks.cases import (
    attach,
    dap,
    ends,
    events,
    fleet,
    hits,
    jdb_mode,
    library,
    memory,
    messages,
    profiles,
    requests,
    snapshots,
    stacks,
    startup,
    stops,
    tomcat,
    tomcat_profile,
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
    "recorded": hits.recorded,
    "tomcat": tomcat.run,
    "clocks": tomcat.clocks,
    "tomcat-profile": tomcat_profile.run,
    "logpoint": hits.logpoint,
    "entries": hits.entries,
    "classes": library.classes,
    "memory": memory.run,
    "profile": profiles.run,
    "requests": requests.run,
    "messages": messages.run,
    "snapshot": snapshots.run,
    "events": events.run,
    "fleet": fleet.run,
    "ends": ends.run,
}
