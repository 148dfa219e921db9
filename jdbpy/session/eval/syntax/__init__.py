"""From text to the evaluator's syntax tree. Pure; knows nothing of types or of the target.

* ``parser``: the way in: tree-sitter's tree becomes the evaluator's own, ``tree``
* ``lexer``: Java's lexical structure; ``rewrite``: what the user typed becomes Java that the grammar can read
* ``grammar``: tree-sitter; ``explain``: what is wrong with a text, in the words of javac
* ``mentions``: what an expression mentions: names, calls, types
"""
