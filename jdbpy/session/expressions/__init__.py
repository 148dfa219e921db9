"""Expressions and what they come to: the component ``session.values``.

* ``values``: the component: evaluate, assign, dump; conditions and texts compiled for breakpoints
* ``results``: operands described as plain data
* ``user_views``: how the user wants classes to be shown; ``function_views``: views that are Python functions
* ``sending``: values of Python on their way into the target
"""
