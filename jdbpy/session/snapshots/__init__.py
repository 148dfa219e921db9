"""Snapshots: what a JVM would answer, kept in a file. A session on one is opened by ``connect.snapshots``.

A snapshot holds questions of the wire and their answers, so that no command needs a second implementation.

* ``store``: the file: blocks of answers in SQLite, written once, read with bounds
* ``forms``: bytes of the wire: values, lists of fields and slots
* ``asking``: questions by the hundred thousand, asked where their answers come in
* ``keeping``: the answers that are kept
* ``classes``: layouts of objects, variables of methods, facts of classes
* ``objects``: what is reached from variables
* ``stacks``: threads, frames, monitors
* ``collecting``: what is asked before, while and after the target is suspended
* ``masking``: names whose values never reach the file
* ``taking``: suspend, collect, resume, write
* ``answering``: the peer that answers a connection from the file
* ``calls_alone``: the same for a file of recorded calls, which has no other answers
* ``finding``: texts in a snapshot, and what holds them
* ``recording``: all packets of a session, to be played again
"""
