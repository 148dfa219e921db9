"""What a process takes of the machine, as the kernel counts it."""

from __future__ import annotations

import os
from pathlib import Path


def resident(pid: int) -> int:
    """Bytes of the process that are in memory now."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor_time(pid: int) -> float:
    """Seconds of all processors that the process and its threads have taken so far, in steps of a kernel's tick."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
