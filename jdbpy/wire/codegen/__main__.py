"""``python -m jdbpy.wire.codegen ThreadReference.Frames``: prints the code generated for a command and its reply."""

from __future__ import annotations

import sys

from jdbpy.wire.codegen import make_decoder, make_encoder, source_of
from jdbpy.wire.command import all_commands
from jdbpy.wire.ids import IDSizes


def main(names: list[str]) -> int:
    """Print the code for each command named, or the names when there are none; return the exit status."""
    commands = {command.NAME: command for command in all_commands()}
    unknown = [name for name in names if name not in commands]
    if not names or unknown:
        sys.stderr.write(f"unknown: {', '.join(unknown)}\n" if unknown else "")
        sys.stdout.write("\n".join(commands) + "\n")
        return 2
    for name in names:
        for record in (commands[name], commands[name].REPLY):
            for function in (make_encoder(record, IDSizes()), make_decoder(record, IDSizes())):
                sys.stdout.write(f"# {record.__name__}\n{source_of(function)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
