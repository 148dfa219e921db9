"""The knowledge of one VM, and the reading of it.

* ``target``: ``Target``, which all parts of a session share: the connection, the counts, the caches, the listeners
* ``selection``: which thread and frame the user has selected; ``clients``: those who share one target
* ``changed_code``: the classes into which this session has put code; ``redefining``: the way in which code is replaced
* ``code_guard``: what is set by places in code waits while code is replaced, and the other way round

How it is read:

* ``reading``: readings side by side: coroutines whose questions of one moment leave in one wave
* ``refs``: reference types and members as records; ``facts``: what never changes about them, asked for once
* ``types``: the cache of types: ancestors, members, lines; ``lines``: places in code as people read them
* ``loaders``: class loaders in words, and what they see
* ``threads``: threads and their frames in bulk; ``frames``: variables of frames: slots, commands, memory
* ``latency``: how long a trip takes, and whether that is long
* ``prefetch``: over a slow link, what a stop shows is asked for before the stop has come in
* ``frame_ids``: the id that a thread's top frame will have at its next hit

How it runs:

* ``suspension``: suspend counts and epochs, as pure data; ``invocations``: those of threads that run an invoked method
* ``requests``: event requests and their handlers; ``hit_rates``: how often they are hit
* ``dispatch``: events come in, handlers vote, the set is resumed or becomes a stop; ``deferred_hits``: those that wait
* ``decisions``: what was decided about each hit, and why
* ``last_breakpoints``: threads that would pass a breakpoint while another one is stepped
* ``conditions``: what a hit needs of the evaluator; ``fast_hits``: hits whose condition is false
* ``stop_table``: which stops wait to be shown, and why: the rules of stops, as pure data
* ``decisions``: what was decided about the last hits, and why
* ``streams``: events on their way to subscribers
* ``answers``: the time limit of evaluations
* ``finishing``: what is done even when its task is cancelled
* ``leaving``: leaving the target so that nothing stays suspended; ``events_under_way``: events that are sent late
"""
