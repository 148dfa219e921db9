"""Run pip with a line for each file that it downloads: ``python docs/tools/pip_progress.py install ...``.

What ``./dev`` installs with, before anything is installed: only the standard library is used. Where pip fails, all it
has printed is shown.
"""

from __future__ import annotations

import re
import subprocess
import sys

_FILE = re.compile(r"\s*(?:Downloading|Using cached) (?:\S*/)?([A-Za-z0-9_.]+?)-\d\S*(?: \(([^)]*)\))?")


def main(words: list[str]) -> int:
    """Return pip's exit status."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words, "--progress-bar", "off"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    printed = []
    for line in process.stdout:
        printed.append(line)
        if found := _FILE.match(line):
            size = f" {found[2]}" if found[2] else ""
            print(f"dev:   {found[1]}{size}", file=sys.stderr, flush=True)
    status = process.wait()
    if status:
        sys.stderr.write("".join(printed))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
