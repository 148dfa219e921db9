"""From a result or an event to text.

    pieces      what results are shown as: styled pieces, rows, tables, source; where text is escaped
    shows       which function shows which result
    places      pieces about places in code, frames and threads
    values      pieces about values and variables
    events      how stops and other events are shown
    plain       the writer for pipes, logs and terminals without colors
    columns     narrow windows: tables and sentences; source: code in colors
    terminal    the writer for terminals with colors
    json_lines  the writer of JSON, an object a line
    choice      which of these fits standard output
    renderer    what a front end asks of a writer

A result is declared, and shown by one function, in the module of its command (``jdbpy/cli/commands``); those of several
commands stand in ``jdbpy/cli/results.py`` and ``jdbpy/cli/breakpoint_list.py``.
"""
