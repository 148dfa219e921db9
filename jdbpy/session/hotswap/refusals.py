"""Why the VM refuses to redefine classes, with the class and the member it is about. Pure.

The agent gives one error for all classes together; which of them it means is told by comparing them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import JdwpError
from jdbpy.session.classes.versions import version_words
from jdbpy.session.hotswap.differences import Difference
from jdbpy.session.hotswap.shape import ClassShape
from jdbpy.wire.constants import Error

_SHOWN = 3


def explained(error: JdwpError, refused: Mapping[str, Sequence[Difference]], new: Sequence[ClassShape]) -> JdwpError:
    """The error with what it is about. ``refused`` are the differences of each class by name, ``new`` its files."""
    about = [
        f"{name}: {difference.text}"
        for name, found in refused.items()
        for difference in found
        if difference.refusal == error.number
    ]
    if error.number == Error.UNSUPPORTED_VERSION:
        newest = max(new, key=lambda shape: shape.version)
        about = [f"{newest.name.replace('/', '.')} is {version_words(newest.version)}"]
    elif not about:
        about = list(refused)
    more = f" and {len(about) - _SHOWN} more" if len(about) > _SHOWN else ""
    text = f"{error.message}: {'; '.join(about[:_SHOWN])}{more}"
    return JdwpError(error.number, error.code, f"{text}; nothing was changed", hint=error.hint, command=error.command)
