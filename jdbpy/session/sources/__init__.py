"""Source files of the debugged classes.

* ``component`` is what the session shows: a window of lines, a whole file, where it was found.
* ``roots`` searches one directory or archive of the source path; ``text`` decodes and splits what is read.
* ``jdk`` finds the sources that belong to the target's Java runtime.
"""

from jdbpy.session.sources.component import Sources

__all__ = ["Sources"]
