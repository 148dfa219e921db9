"""Measurements of jdbpy beside jdb, JDI and a bare socket; ``./dev bench`` runs them and writes docs/measurements.md.

relay, traffic   a link with a fixed delay, which counts commands, waves and bytes; tests use it too
targets          the Java programs that are debugged
rivals           the other debuggers: jdb, a JDI program, and the floor (a bare socket that sends what can be sent
                 together)
cases            what is measured, one module a subject
figures, report  medians and ratios; the page
"""
