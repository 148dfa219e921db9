"""Lambdas and anonymous classes that the target itself must run: compiled with a local javac, defined in the target.

    capture   which names of the expression's text must be handed in, and how the text reads once they are
    source    the class around it, as text
    compiler  javac, found and run
    classes   the class files defined in the target's class loader

Off unless the user asks for it: it adds classes to the target, which stay there for as long as their loader does.
"""
