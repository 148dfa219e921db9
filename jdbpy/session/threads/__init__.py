"""The threads of the target. States and frames are read by ``target.threads``, fields by ``values.thread_fields``.

* ``threads``: the component ``session.threads``: listing, finding, the tree of groups
* ``details``: all about one thread, processor times; throwing an exception in a thread, naming it
* ``sampling``: the places where threads spend their time
"""
