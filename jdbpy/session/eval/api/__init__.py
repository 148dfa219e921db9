"""Expressions and what they come to: the component ``session.values``.

* ``component``: evaluate, assign, dump; conditions and texts compiled for breakpoints
* ``results``: operands described as plain data
* ``user_views``: how the user wants classes to be shown; ``function_views``: views that are Python functions
* ``python_values``: values of Python on their way into the target
"""
