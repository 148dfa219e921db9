"""What an event set says before any id: read without decoding it, to see whether it is worth decoding at once.

Owns the fixed beginning of ``Event.Composite``. Whoever wants more decodes the packet.

    suspendPolicy  number of events  eventKind  requestID
    byte           int               byte       int          of the first event
"""

from __future__ import annotations

import struct

from jdbpy.wire.framing import Packet

_HEAD = struct.Struct(">BiBi")


def only_request(packet: Packet) -> int:
    """The request of the only event of a set that suspends something; 0 for every other set."""
    if len(packet.data) < _HEAD.size:
        return 0
    policy, count, _, request_id = _HEAD.unpack_from(packet.data)
    return int(request_id) if policy and count == 1 else 0
