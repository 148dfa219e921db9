"""Writes anew what is generated: ``python -m docs.tools.generate [NAME...]``; all of it when no name is given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from docs.tools.command_names import write_names
from docs.tools.demo_classes import compile_demo
from docs.tools.floors import write as write_floors
from docs.tools.man_page import write as write_man
from docs.tools.manual import write_pages
from docs.tools.notebook import write as write_notebook
from docs.tools.pictures import take_pictures
from docs.tools.reference import write as write_reference
from docs.tools.speed_picture import write as write_speed
from docs.tools.sync_api import write as write_sync
from docs.tools.vsix import write as write_attributes
from tests.cli import golden

GENERATORS: dict[str, Callable[[], None]] = {
    "names": write_names,
    "demo-classes": compile_demo,
    "floors": write_floors,
    "golden": golden.write,
    "man": write_man,
    "manual": write_pages,
    "notebook": write_notebook,
    "pictures": take_pictures,
    "speed": write_speed,
    "sync": write_sync,
    "reference": write_reference,
    "vscode": write_attributes,
}


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in GENERATORS]
    if unknown:
        raise SystemExit(f"nothing is called {', '.join(unknown)}; there are {', '.join(GENERATORS)}")
    if len(names) == 1:
        print(f"generating {names[0]}")
        GENERATORS[names[0]]()
        return
    for name in names or GENERATORS:  # each in a process of its own: it sees what the one before has written
        subprocess.run([sys.executable, "-m", "docs.tools.generate", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
