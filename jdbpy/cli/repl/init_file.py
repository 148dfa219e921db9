"""The user's own file of commands, which the prompt reads first: views, settings, step filters.

Owns its place only. A batch does not read it: what a script does must not depend on whose home it runs in.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from jdbpy.files import why_not_trusted


def init_lines(environ: Mapping[str, str] = os.environ) -> tuple[list[str], str]:
    """Return the command that reads ``$XDG_CONFIG_HOME/jdbpy/init``, and what to say of a file that is not read.

    By default the file is below ``~/.config``. XDG wants an absolute path and has relative ones ignored.
    A file that others may write is not read: it holds commands.
    """
    config = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return [], ""
        config = os.path.join(home, ".config")
    path = os.path.join(config, "jdbpy", "init")
    if not os.path.exists(path):
        return [], ""
    if reason := why_not_trusted(path):
        return [], f"{path} is not read: {reason}\n"
    return [f"read -q {path}"], ""
