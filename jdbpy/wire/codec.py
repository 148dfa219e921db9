"""Codec: messages to bytes and back.

Owns the choice between the generated codec (the default) and the reference codec (``JDBPY_CODEC=construct``), and
turns whatever either finds wrong into one kind of error::

    codec = default_codec()
    data = codec.encode(thread_reference.Frames(thread), sizes)
    reply = codec.decode_reply(thread_reference.Frames, data, sizes)
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from jdbpy.errors import ProtocolError, UsageError
from jdbpy.record import Record
from jdbpy.wire.command import Command
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.layout import check_sizes

M = TypeVar("M", bound=Record)

DEFAULT_SIZES = IDSizes()
"""The id widths of HotSpot, 8 bytes each."""

Encoders = dict[type[Record], Callable[[Any], bytes]]
Decoders = dict[type[Record], Callable[[bytes, Iterator[int]], Any]]


class Codec(ABC):
    """Encodes and decodes messages. Functions are made for each message and id width when they are first needed."""

    def __init__(self) -> None:
        self._sizes: IDSizes | None = None
        self._encoders: Encoders = {}
        self._decoders: Decoders = {}

    def encode(self, message: Record, sizes: IDSizes = DEFAULT_SIZES) -> bytes:
        """Return the data of a message, without the packet header.

        Raises UsageError when a field holds what the protocol has no room for.
        """
        if sizes is not self._sizes:
            self._use(sizes)
        cls = type(message)
        encode = self._encoders.get(cls) or self._encoders.setdefault(cls, self.make_encoder(cls, sizes))
        try:
            return encode(message)
        except self.encode_faults as fault:
            from jdbpy.wire.codegen.encoder import find_misfit

            raise UsageError(f"{message_name(cls)} cannot be sent: {find_misfit(message, sizes)}") from fault

    def decode(
        self, cls: type[M], data: bytes, sizes: IDSizes = DEFAULT_SIZES, *, tags: Sequence[int] = (), name: str = ""
    ) -> M:
        """Return the message of a class that the data holds, to the last byte.

        ``tags`` are those of its untagged values in order, which only the target knows. ``name`` is what errors call
        the message. Raises ProtocolError, which names message, field and offset.
        """
        if sizes is not self._sizes:
            self._use(sizes)
        decode = self._decoders.get(cls) or self._decoders.setdefault(cls, self.make_decoder(cls, sizes))
        try:
            message: M = decode(data, iter(tags))
            return message
        except self.decode_faults as fault:
            from jdbpy.wire.faults import find_fault

            raise ProtocolError(
                f"{name or message_name(cls)}: {find_fault(cls, data, sizes, tags)}",
                hint="the peer does not speak JDWP as its specification says; --wire-log FILE shows the packets",
            ) from fault

    def decode_reply(self, command: type[Command[M]], data: bytes, sizes: IDSizes = DEFAULT_SIZES) -> M:
        """Return the reply to a command; otherwise like ``decode``."""
        reply: Any = command.REPLY
        message: M = self.decode(reply, data, sizes, name=f"{command.NAME} reply")
        return message

    def _use(self, sizes: IDSizes) -> None:
        check_sizes(sizes)
        if sizes != self._sizes:
            self._encoders, self._decoders = self._functions(sizes)
        self._sizes = sizes

    def _functions(self, sizes: IDSizes) -> tuple[Encoders, Decoders]:
        """Return where the functions for these id widths are kept."""
        return {}, {}

    encode_faults: tuple[type[Exception], ...]
    decode_faults: tuple[type[Exception], ...]

    @abstractmethod
    def make_encoder(self, cls: type[Record], sizes: IDSizes) -> Callable[[Any], bytes]:
        """Return the function that encodes messages of a class; raises one of ``encode_faults``."""

    @abstractmethod
    def make_decoder(self, cls: type[Record], sizes: IDSizes) -> Callable[[bytes, Iterator[int]], Any]:
        """Return the function that decodes messages of a class; raises one of ``decode_faults``."""


class GeneratedCodec(Codec):
    """Fused code, written on first use (``wire.codegen``).

    Code for the id widths of HotSpot is written once in a process, for all connections of a fleet. Other widths are
    a codec's own: there are thousands of them, and a target chooses them.
    """

    _shared: ClassVar[tuple[Encoders, Decoders]] = {}, {}

    def __init__(self) -> None:
        super().__init__()
        from jdbpy.wire.codegen import decoder, encoder

        self.encode_faults, self.decode_faults = encoder.FAULTS, decoder.FAULTS
        self._make_encoder, self._make_decoder = encoder.make_encoder, decoder.make_decoder

    def _functions(self, sizes: IDSizes) -> tuple[Encoders, Decoders]:
        return self._shared if sizes == DEFAULT_SIZES else ({}, {})

    def make_encoder(self, cls: type[Record], sizes: IDSizes) -> Callable[[Any], bytes]:
        return self._make_encoder(cls, sizes)

    def make_decoder(self, cls: type[Record], sizes: IDSizes) -> Callable[[bytes, Iterator[int]], Any]:
        return self._make_decoder(cls, sizes)


def message_name(cls: type[Record]) -> str:
    """Return what errors call a message: ``ThreadReference.Frames``, or the class's own name when it is no command."""
    return cls.NAME if issubclass(cls, Command) else cls.__name__


def default_codec() -> Codec:
    """Return the codec for a connection: what ``JDBPY_CODEC`` names, ``generated`` (or nothing) or ``construct``."""
    name = os.environ.get("JDBPY_CODEC", "")
    if name == "construct":
        from jdbpy.wire.reference import ReferenceCodec

        return ReferenceCodec()
    if name not in ("", "generated"):
        raise UsageError(
            f"JDBPY_CODEC={name} is not a codec", hint="it can be 'generated' (the default) or 'construct'"
        )
    return GeneratedCodec()
