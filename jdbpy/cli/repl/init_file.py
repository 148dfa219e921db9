"""The user's own file of commands, which the prompt reads first: views, settings, step filters.

Owns its place only. A batch does not read it: what a script does must not depend on whose home it runs in.
"""

from __future__ import annotations

import os
from collections.abc import Mapping


def init_lines(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command that reads ``$XDG_CONFIG_HOME/jdbpy/init``, by default below ``~/.config``, if there is such a file.

    XDG wants an absolute path and says that a relative one is to be ignored.
    """
    config = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return []
        config = os.path.join(home, ".config")
    path = os.path.join(config, "jdbpy", "init")
    return [f"read -q {path}"] if os.path.isfile(path) else []
