"""From objects to what is shown: read by fields, described, never called; and writing values.

* ``reader``: what may be asked of objects: types, fields, elements, text; ``remembered``: what of it never changes
* ``batched_reads``: the questions of one moment, answered together
* ``obj``: an object as a view sees it; ``shown``: what a view makes of it; ``walk``: linked structures, level by level
* ``views``: the views of well-known classes, one module for each family
* ``objects``: what a target keeps for looking at objects; finding the view of one; ``chains``: long chains of nodes
* ``queries``, ``export``: questions of scripts about many objects; values as Python objects
* ``describe``: wire values as plain data, as deep as the limits go; ``value_text``: their texts, made of others' texts
* ``strings``: texts of strings; ``bytes``: elements as bytes; ``throwables``, ``thread_fields``: these classes
* ``variables``: the variables of a frame with their values; ``changes``: what has changed since an earlier stop
* ``stack``: the component ``session.stack``: stacks, frames, variables of frames
* ``lock_reader``: the questions about monitors, for any number of threads in the same few waves
* ``juc_locks``: the locks of java.util.concurrent, read from the fields of what a thread is parked for
* ``writes``: setting variables, fields and elements
"""
