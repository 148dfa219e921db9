"""The two codecs agree on every message, both ways, on every width of ids, and on whatever is no message."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from jdbpy.errors import ProtocolError
from jdbpy.record import Record
from jdbpy.wire.codec import Codec, GeneratedCodec
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.reference import ReferenceCodec
from tests.wire.strategies import MESSAGES, SIZES, messages, untagged

EXAMPLES = settings(max_examples=6)


@functools.cache
def codecs(sizes: IDSizes) -> tuple[Codec, Codec]:
    """Both codecs, a pair for each set of sizes, so that they keep what they have compiled."""
    return GeneratedCodec(), ReferenceCodec()


def outcome(codec: Codec, cls: type[Record], data: bytes, sizes: IDSizes, tags: list[int], name: str) -> Any:
    """What a codec makes of data: the message's fields as text (NaN is not equal to itself), or the fault."""
    try:
        return repr(codec.decode(cls, data, sizes, tags=tags, name=name))
    except ProtocolError as error:
        return error.message


@pytest.mark.parametrize(("name", "cls"), MESSAGES, ids=[name for name, _ in MESSAGES])
@EXAMPLES
@given(draw=st.data(), sizes=st.sampled_from(SIZES))
def test_every_message_round_trips(draw: st.DataObject, sizes: IDSizes, name: str, cls: type[Record]) -> None:
    message = draw.draw(messages(cls, sizes))
    generated, reference = codecs(sizes)
    data = generated.encode(message, sizes)
    assert data == reference.encode(message, sizes)
    assert generated.decode(cls, data, sizes, tags=untagged(message)) == message
    assert reference.decode(cls, data, sizes, tags=untagged(message)) == message


@pytest.mark.parametrize(("name", "cls"), MESSAGES, ids=[name for name, _ in MESSAGES])
@EXAMPLES
@given(draw=st.data(), sizes=st.sampled_from(SIZES))
def test_every_cut_is_noticed(draw: st.DataObject, sizes: IDSizes, name: str, cls: type[Record]) -> None:
    message = draw.draw(messages(cls, sizes))
    generated, reference = codecs(sizes)
    data = generated.encode(message, sizes)
    for wrong in [*(data[:length] for length in range(max(0, len(data) - 40), len(data))), data + b"\0"]:
        fault = outcome(generated, cls, wrong, sizes, untagged(message), name)
        assert fault.startswith(f"{name}: ")
        assert " at offset " in f" {fault}"
        assert outcome(reference, cls, wrong, sizes, untagged(message), name) == fault


@pytest.mark.parametrize(("name", "cls"), MESSAGES, ids=[name for name, _ in MESSAGES])
@EXAMPLES
@given(draw=st.data(), sizes=st.sampled_from(SIZES))
def test_damage_is_read_alike(draw: st.DataObject, sizes: IDSizes, name: str, cls: type[Record]) -> None:
    message = draw.draw(messages(cls, sizes))
    generated, reference = codecs(sizes)
    data = bytearray(generated.encode(message, sizes))
    at = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(at, min(len(data), at + 6)))
    data[at:end] = draw.draw(
        st.one_of(st.binary(max_size=6), st.sampled_from([b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"]))
    )
    read = outcome(generated, cls, bytes(data), sizes, untagged(message), name)
    assert outcome(reference, cls, bytes(data), sizes, untagged(message), name) == read
    assert not read.startswith(f"{name}: ") or " at offset " in read


@pytest.mark.parametrize(("name", "cls"), MESSAGES, ids=[name for name, _ in MESSAGES])
@EXAMPLES
@given(data=st.binary(max_size=60), sizes=st.sampled_from(SIZES))
def test_noise_is_read_alike(data: bytes, sizes: IDSizes, name: str, cls: type[Record]) -> None:
    generated, reference = codecs(sizes)
    read = outcome(generated, cls, data, sizes, [73, 76, 86], name)
    assert outcome(reference, cls, data, sizes, [73, 76, 86], name) == read
    assert not read.startswith(f"{name}: ") or " at offset " in read
