"""The wire layer: bytes to typed messages of JDWP and back, and the connection that carries them.

It does not know what a breakpoint is for; that is ``jdbpy.session``. Where to find what:

    constants, ids          the specification's numbers and types
    messages                every message, one declaration each; ``command`` is what they are made of
    layout                  a declaration as a tree of parts, for code that reads or writes bytes
    codec                   encoding and decoding: ``codegen`` (fast) or ``reference`` (construct)
    faults, explain         what is wrong with a message; a message as text
    dissect                 a message taken apart, as far as it fits: for packets of others
    capture                 files of what went over a network, down to the bytes of TCP streams
    framing, handshake      the stream as packets
    opening                 from a stream to a connection that runs
    connection              requests, replies and events over a stream; its parts are ``pending`` (one reply),
                            ``packet_stream`` (one task receives, one sends),
                            ``event_queue``, ``close_reason`` (why it closed), ``vm_death`` (a VM that
                            reports its end ends at once), ``statistics``
    lazy_records            very many records of one kind: as bytes, and field by field; ``strings`` of JDWP
    event_parts             the parts of an event, read before it is decoded
    reply_cache             answers that stay good while nothing runs
    effects, audit          what a command does to the target: the guard of read-only sessions, and the log
    error_text              the agent's errors in words
    wirelog                 the readable log of packets
"""
