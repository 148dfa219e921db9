"""What comes in from one VM, and what may run in it: events, requests, stops, suspend counts, threads, frames.

* ``target``: ``Target``, which all parts of a session share: the connection, the counts, the caches, the listeners
* ``selection``: which thread and frame the user has selected; ``clients``: those who share one target
* ``redefining``: the way in which code is replaced

How it is read:

* ``threads``: threads and their frames in bulk; ``frames``: variables of frames: slots, commands, memory
* ``frameless``: threads of the VM's own that must not be asked for their frames; ``ending``: threads that may be ending
* ``prefetch``: over a slow link, what a stop shows is asked for before the stop has come in
* ``frame_ids``: the id that a thread's top frame will have at its next hit

How it runs:

* ``suspension``: suspend counts and epochs, as pure data; ``invocations``: those of threads that run an invoked method
* ``own_threads``: threads of the debugger's own in the target, in which methods run while the program does
* ``requests``: event requests and their handlers; ``hit_rates``: how often they are hit
* ``dispatch``: events come in, handlers vote, the set is resumed or becomes a stop; ``deferred_hits``: those that wait
* ``last_breakpoints``: threads that would pass a breakpoint while another one is stepped
* ``conditions``: what a hit needs of the evaluator; ``fast_hits``: hits whose condition is false
* ``stop_table``: which stops wait to be shown, and why: the rules of stops, as pure data
* ``decisions``: what was decided about the last hits, and why
* ``streams``: events on their way to subscribers
* ``answers``: the time limit of evaluations
* ``finishing``: what is done even when its task is cancelled
* ``leaving``: leaving the target so that nothing stays suspended; ``events_under_way``: events that are sent late
"""
