"""The Model Context Protocol: a front end beside the command line, for agents (``jdbpy mcp``).

* ``answers``: what a tool answers, as bounded JSON that says what is suspended; errors in a sentence.
* ``words``: hints and notices, which name the prompt's commands, in the words of tools.
* ``tools``: the table of tools: a tool is one annotated function, from which its schema follows.
* ``debugging``: the one target of a client: opened, followed, left.
* ``running``: attach, launch, detach, run_until_stop, pause, step, breakpoints.
* ``inspecting``: stacks, variables, expressions, threads, source.
* ``measuring``: calls of a method for some seconds; deadlocks, equal stacks, hot methods.
* ``recording``: calls of a method line by line, and how those that failed differ.
* ``testing``: a command that runs tests, and what fails there.
* ``prompt``: every other command of the prompt, by the door that ``cli`` has for other front ends.
* ``server``: the tools as the SDK serves them, on standard input and output.
* ``http``: the same by streamable HTTP on loopback, with a token.
* ``main``: the command line of ``jdbpy mcp``.

Only ``server`` and ``http`` import the SDK, which the extra ``jdbpy[mcp]`` installs.
"""
