"""Java without a target: names, types, arithmetic, literals, class files, bytecode, source maps. Pure.

* ``signatures``: JNI signatures and Java names, both ways
* ``generics``: generic signatures of class files shown as Java
* ``descriptors``: types as class files write them, read
* ``types``: Java's types as the evaluator reasons about them
* ``class_names``: class names as users type them, patterns, step filters
* ``releases``: what the JDK's own classes are called, by Java version
* ``jdk``: what the JDK's classes most used are known to be without asking
* ``arithmetic``: every rule of JLS 15 that computes a number or a boolean
* ``literals``: the values of literals; ``texts``: values written as Java would write them
* ``constant_pool``, ``class_file``: class files; ``edit``: class files changed
* ``bytecode``: instructions, as far as control flow goes
* ``smap``: source maps (JSR 45)
* ``dump_file``: the JSON in which a JVM writes all its threads to a file
"""
