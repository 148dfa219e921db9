"""Tests that fail: where a failure leaves a test, and what is told of it.

* ``frameworks``: the table of test frameworks, and the rule by which a stack has a test in it; pure
* ``failed_tests``: the catchpoint for failures of tests
* ``reading``: what the exception of a failure says of it, and whether the test expects that exception
* ``component``: ``session.tests``
"""
