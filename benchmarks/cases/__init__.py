"""What is measured. A case is an async function of a ``Bench`` that gives one result or several."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from benchmarks.bench import Bench
from benchmarks.cases import attach, messages, requests, stacks
from benchmarks.figures import Result

CASES: dict[str, Callable[[Bench], Awaitable[list[Result]]]] = {
    "attach": attach.run,
    "where-all": stacks.where_all,
    "threads": stacks.threads,
    "requests": requests.run,
    "messages": messages.run,
}
