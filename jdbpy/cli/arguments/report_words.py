"""The words that say how a point reports which stops nothing: ``limit 100/s to hits.log stack 5 cost 20% -max 1000``.

Owns these words and what they mean; where they may stand is for ``tail`` to say.
"""

from __future__ import annotations

import re
from typing import Any

from jdbpy.errors import UsageError

MAX = ("-max", "--max")
"""How many hits there may be: a flag, which may stand before the subject as well."""

VALUES = {
    "limit": "a number of reports, `100/s`, or none",
    "to": "a file",
    "stack": "a number of frames",
    "cost": "a percentage, or none",
}
"""The words that take a value, and what it is."""

MOST_FRAMES = 100

HELP = (
    "`limit N/s` reports at most, `to FILE` appends them to a file, `stack N` frames with each, `-max N` hits and then "
    "it is switched off, `cost N%` switches it off when it takes more of the target's time"
)


def read_report_word(keyword: str, value: str) -> dict[str, Any]:
    """The field of ``Reporting`` that a word with its value means. Raises UsageError."""
    match keyword:
        case "to":
            return {"file": value}
        case "limit":
            found = re.fullmatch(r"(\d{1,6})(?:/s)?|none", value.lower())
            if found is None:
                raise UsageError(f"'{value}' is no limit", hint="'limit 100/s' reports at most, 'limit none' for all")
            return {"limit": int(found[1]) if found[1] else None}
        case "stack":
            if not re.fullmatch(r"\d{1,3}", value) or not 1 <= int(value) <= MOST_FRAMES:
                raise UsageError(f"'{value}' is no number of frames from 1 to {MOST_FRAMES}")
            return {"stack": int(value)}
    found = re.fullmatch(r"(\d{1,3})%?|none", value.lower())
    if found is None or int(found[1] or 0) > 100:
        raise UsageError(f"'{value}' is no percentage", hint="'cost 20%', or 'cost none'")
    return {"cost": int(found[1] or 0)}
