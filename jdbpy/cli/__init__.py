"""Text in, text out: the command table, the batch runner, the prompt and the renderers.

Uses only the public names of ``jdbpy``; speaks no JDWP and keeps no state of the target.
"""
