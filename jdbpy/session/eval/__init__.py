"""Java expressions evaluated in a stopped frame.

    syntax    text -> the evaluator's own tree (tree-sitter's grammar, literals, the debugger's additions)
    java      the rules of the language: types, conversions, overloads, arithmetic; pure
    compile   tree -> operations: every name and type is resolved before anything runs
    ops       operations: what reads, computes, calls and assigns
    jvm       the target of it all: one frame of a stopped thread of a session

``evaluator`` is the way in. Nothing here is imported before the first expression is evaluated.
"""
