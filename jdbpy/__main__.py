"""``python -m jdbpy``, and the command ``jdbpy``: Ctrl-C ends both without a traceback, also during the imports."""

import sys

INTERRUPTED = 130


def main() -> int:
    """Run jdbpy with the words of the process; return the exit status."""
    try:
        from jdbpy.cli.main import main as run

        return run()
    except KeyboardInterrupt:  # while imports go on; later ones are looked after
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
