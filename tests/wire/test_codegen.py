"""The generated code: fused, visible, and made only when it is needed."""

from __future__ import annotations

import traceback

import pytest

from jdbpy.wire.codegen import make_decoder, make_encoder, source_of
from jdbpy.wire.codegen.__main__ import main
from jdbpy.wire.codegen.decoder import FAULTS
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.messages import event_request, method, thread_reference, virtual_machine


def test_neighbors_of_fixed_width_are_one_call() -> None:
    groups = source_of(make_decoder(thread_reference.OwnedMonitorsStackDepthInfoReply, IDSizes()))
    assert "iter_unpack_BQi(data[4:end])" in groups
    assert "for _ in range" not in groups
    capabilities = source_of(make_decoder(virtual_machine.CapabilitiesNewReply, IDSizes()))
    assert capabilities.count("unpack") == 1
    assert source_of(make_encoder(thread_reference.Frames, IDSizes(objectIDSize=4))).endswith(
        "    return pack_Iii(message.thread, message.startFrame, message.length)\n"
    )


def test_what_follows_a_generic_signature_is_read_with_its_length() -> None:
    listed = source_of(make_decoder(virtual_machine.AllClassesWithGenericReply, IDSizes()))
    assert "genericSignature_length, status = unpack_from_Ii(data, pos)" in listed
    slots = source_of(make_decoder(method.VariableTableWithGenericReply, IDSizes()))
    assert "genericSignature_length, length, slot = unpack_from_Iii(data, pos)" in slots


def test_a_traceback_shows_the_generated_line() -> None:
    decode = make_decoder(event_request.Clear, IDSizes())
    with pytest.raises(FAULTS) as caught:
        decode(b"\0", iter(()))
    shown = "".join(traceback.format_exception(caught.value))
    assert 'File "<decode event_request.Clear, ids 8 8 8 8 8>", line 3, in decode' in shown
    assert "eventKind, requestID = unpack_from_Bi(data, 0)" in shown


def test_the_same_message_with_other_widths_has_its_own_source() -> None:
    wide = make_decoder(thread_reference.OwnedMonitorsStackDepthInfoReply, IDSizes())
    narrow = make_decoder(thread_reference.OwnedMonitorsStackDepthInfoReply, IDSizes(objectIDSize=4))
    assert "iter_unpack_BQi" in source_of(wide)
    assert "iter_unpack_BIi" in source_of(narrow)


def test_the_code_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ThreadReference.Frames"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("def encode(message):") == printed.count("def decode(data, tags):") == 2
    assert main(["ThreadReference.Frame"]) == 2
    listed = capsys.readouterr()
    assert listed.err == "unknown: ThreadReference.Frame\n"
    assert "ThreadReference.Frames\n" in listed.out
