"""Replies with frames, as a connection would hand them out."""

from __future__ import annotations

from typing import Any, cast

from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.messages.thread_reference import Frame, FramesReply


def frames_reply(*frames: Frame) -> FramesReply:
    """A reply with these frames: encoded, and decoded again into the rows of which it consists."""
    codec = GeneratedCodec()
    return codec.decode(FramesReply, codec.encode(FramesReply(cast("Any", frames))))
