"""The Debug Adapter Protocol: a front end beside the command line, which editors start and talk to (``jdbpy dap``).

* ``framing``: bytes to messages and back, bounded; nothing of the protocol's meaning.
* ``protocol``: arguments of requests as declared records, what is wrong with them in a sentence; the table of requests.
* ``server``: one client: reading, answering in order, canceling; standard input and output, or a port.
* ``adapter``: one client: its parts, each with what it needs, and which of them carries out each request.
* ``editor``: the client itself; ``debuggee``: its session and target; ``handles``: numbers for threads, frames, values.
* ``opening``: initialize, attach, launch, configurationDone, disconnect, terminate, restart.
* ``terminal``: a program in a terminal of the client; ``in_terminal``: what starts it there and tells its exit status.
* ``configuration``: what a client may say with attach and launch.
* ``events``: what happens in the session, as events of the protocol; ``stops``: the stops among them.
* ``running``: threads, continue, steps, pause, restartFrame.
* ``frames``: stackTrace, scopes, exceptionInfo.
* ``readings``: the variables of frames, read ahead of the requests and once for several of them.
* ``variables``: variables page by page, setVariable, setExpression; ``memory``: arrays of primitives as bytes.
* ``expressions``: evaluate, completions; ``left_methods``: threads that run methods of those that were given up.
* ``console``: the commands of the prompt in the debug console, by the door that ``cli`` has for other front ends.
* ``recorded_thread``: the recorded call that the console has opened, as a thread that can be stepped forward and back.
* ``breakpoints``: of sources, functions, exceptions and fields; ``breakpoint_table``: under the client's ids.
* ``paths``: paths of the client and of this machine; ``hotswap``: classes replaced.
* ``sources``: the sources and methods that the client knows; ``code``: their texts, modules, disassembled methods.
* ``main``: the command line of ``jdbpy dap``.

It speaks to public names of ``import jdbpy`` only, and says everything by thread and frame: the selection of the
session, which belongs to a prompt, is neither used nor shown.
"""
