"""What can be read of a target, beyond a stop: classes, code, modules, threads, locks, the heap, the VM. Read only, but
for what the target itself offers to change: names and ends of threads, reads of modules, flags of the VM.

Its classes:

* ``classes``: the component ``session.classes``; ``class_list``: the list of all, fast
* ``class_details``: single classes; ``class_origin``: their loaders and archives; ``class_records``: in Java's words
* ``bytecode``: the component ``session.code``: constant pools, methods disassembled
* ``source_maps``: the component ``session.strata``: through which stratum lines are seen
* ``modules``: the component ``session.modules``; reads, exports, opens, uses and provides added now
* ``module_reader``: all about modules, from the fields of java.lang.Module and ModuleDescriptor

Its threads. States and frames are read by ``events.threads``, fields by ``values.thread_fields``:

* ``threads``: the component ``session.threads``: listing, finding, the tree of groups
* ``virtual_threads``: virtual threads with their stacks, of a file that the JVM writes
* ``thread_details``: all about one thread, processor times; throwing an exception in a thread, naming it
* ``sampling``: the places where threads spend their time
* ``locks``: the component ``session.locks``: the monitors and locks of threads or of one object; deadlocks

Its heap, and the VM:

* ``heap``: the component ``session.heap``; ``heap_paths``: the shortest chain of references to an object from a root
* ``memory``: memory pools and collectors
* ``vm``: the component ``session.vm``: properties, paths, capabilities; ``vm_facts``: what the VM is, its clocks
* ``hotspot``: HotSpot's flags, and its diagnostic commands, those of ``jcmd``; ``diagnostic_texts``: what they print
* ``top``: the component ``session.top``: what threads use of processors and memory, between two moments
* ``loggers``: the component ``session.loggers``; ``log_frameworks``: Logback, Log4j 2, java.util.logging
* ``mbeans``: the component ``session.mbeans``; ``management_values``: what attributes and operations give and take
* ``target_files``: the component ``session.files``: files of the target's machine, brought here
* ``state_capture``: the component ``session.moments``: a target at one moment, to be compared with another
"""
