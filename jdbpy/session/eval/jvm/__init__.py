"""The evaluator's target over a real session: one frame of a stopped thread of a JVM.

* ``frame_target``: ``EvalTarget`` over a frame; ``heap_target``: the part of it that needs no stopped thread
* ``class_finder``: classes as one frame sees them; ``loading``: loading and defining them
* ``calls``: calls with every argument checked; ``invoking``: when and how long; ``unreturned``: those that do not end
* ``throwables``: exceptions that come out; ``pins``: objects kept from collection
* ``at_hits``: an expression asked at every hit; ``fast_condition``: its short way, where the answers come in
"""
