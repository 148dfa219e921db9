"""Captures: files of what went over a network, down to the bytes of each TCP stream. Nothing here knows of JDWP.

    files       pcap and pcapng: frames with their times
    segments    a frame's headers: link, IP, TCP
    streams     TCP segments as the bytes of two directions, in order

Headers are declared with ``construct``. A file is not trusted: what it says of sizes is checked before memory is taken,
and what has to be kept for later has a limit.
"""
