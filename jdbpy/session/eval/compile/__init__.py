"""From syntax trees to operations: names, types, overloads, errors in javac's words. Asks for facts, runs nothing.

* ``compiler``: the way in; ``table``: which function compiles which expression
* ``names``, ``typenames``: what names mean; ``calls``: methods and ``new``
* ``operators``, ``assign``, ``sequences``, ``flow``, ``functions``: typing of these expressions and statements
* ``shown``: values that are typed as they are shown
* ``prefetch``: over a slow link, what compiling will ask for, asked for side by side
"""
