"""The rest of a line that sets a breakpoint, parsed."""

from __future__ import annotations

from typing import Any

from jdbpy import PointOptions, SuspendPolicy
from jdbpy.cli.arguments.tail import Tail


def tail_of(policy: SuspendPolicy | None = None, thread: str = "", on: str = "", **options: Any) -> Tail:
    typed = tuple((field, text) for field, text in (("thread", thread), ("instance", on)) if text)
    return Tail(PointOptions(policy, **options), typed)
