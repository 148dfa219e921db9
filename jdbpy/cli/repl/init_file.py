"""The user's own files of commands, which the prompt reads first: views, settings, step filters; one for each target.

Owns its place only. A batch does not read it: what a script does must not depend on whose home it runs in.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from jdbpy.files import why_not_trusted


def init_lines(environ: Mapping[str, str] = os.environ, *, address: str = "") -> tuple[list[str], str]:
    """Return the commands that read ``$XDG_CONFIG_HOME/jdbpy/init`` and ``targets/ADDRESS`` beside it, as far as these
    files are there, and what to say of one that is not read.

    By default they are below ``~/.config``. XDG wants an absolute path and has relative ones ignored.
    A file that others may write is not read: it holds commands.
    """
    config = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return [], ""
        config = os.path.join(home, ".config")
    names = ["init"]
    if address and os.path.basename(address) == address:  # not a path, whatever was typed
        names.append(os.path.join("targets", address))
    lines, remarks = [], []
    for path in (os.path.join(config, "jdbpy", name) for name in names):
        if not os.path.exists(path):
            continue
        if reason := why_not_trusted(path):
            remarks.append(f"{path} is not read: {reason}\n")
        else:
            lines.append(f"read -q {path}")
    return lines, "".join(remarks)
