"""What a process takes of the memory of the machine, as the kernel counts it."""

from __future__ import annotations

import os
from pathlib import Path


def resident(pid: int) -> int:
    """Bytes of the process that are in memory now."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
