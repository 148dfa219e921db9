"""The interactive prompt: the loop, the line editor and its thread, completion, the toolbar, the output above it.

* ``conversation``: the loop: lines in, outcomes and events out; ``offers``: its first words; ``events``: the target's
* ``prompt_line``: line editing, in ``prompt_thread``; ``prompt_plain``: without; its history
* ``prompt_state``: what the prompt and the toolbar show, and the session as such a state
* ``completion_refresh``: names for completion; its parts of the command line are in ``cli.arguments``
* ``screen``: outcomes, and which of them wait for the pager; ``sink``: the one way to the screen
* ``terminal``: what it can do; ``terminal_pager``: output taller than it
"""
