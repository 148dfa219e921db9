"""The threads of the target: ``session.threads``.

* ``component``: what front ends call: listing, finding, the tree of groups
* ``fields``: what the fields of java.lang.Thread tell; nothing is run
* ``details``: all about one thread, processor times
* ``filters``: choosing threads, folding equal stacks; pure
* ``virtual``: finding virtual threads in the heap
* ``changes``: throwing an exception in a thread, naming it

* ``reader``: states and frames of any number of threads; ``answers``: what the agent says of one

Reading states and frames is shared with others.

This package's own names are its plain data and ``fold``, public as ``jdbpy.threads``.
"""

from jdbpy.session.threads.filters import fold
from jdbpy.session.threads.model import (
    STATES,
    EqualStacks,
    ThreadDetail,
    ThreadFilter,
)

__all__ = [
    "STATES",
    "EqualStacks",
    "ThreadDetail",
    "ThreadFilter",
    "fold",
]
