"""Bytecode: instruction boundaries, control flow, and which places of a line are needed."""

from __future__ import annotations

import struct

import pytest

from jdbpy.session.java.bytecode import MalformedCode, decode, leads_to, once_per_pass

NOP, RETURN, ATHROW, GOTO, IFEQ = 0x00, 0xB1, 0xBF, 0xA7, 0x99


def jump(opcode: int, offset: int) -> bytes:
    return struct.pack(">Bh", opcode, offset)


def test_instruction_boundaries_and_successors() -> None:
    code = bytes([0x10, 5, 0x12, 1, 0xB9, 0, 1, 1, 0, 0xC4, 0x84, 0, 1, 0, 1, 0xC4, 0x15, 0, 1, RETURN])
    assert [(each.index, each.next) for each in decode(code)] == [
        (0, (2,)),  # bipush
        (2, (4,)),  # ldc
        (4, (9,)),  # invokeinterface
        (9, (15,)),  # wide iinc
        (15, (19,)),  # wide iload
        (19, ()),
    ]


def test_switches_are_padded() -> None:
    table = bytes([NOP, 0xAA, 0, 0]) + struct.pack(">iiiii", 100, 7, 8, 50, 60)
    lookup = bytes([0xAB, 0, 0, 0]) + struct.pack(">iiii", 100, 1, 42, 50)
    assert [(each.index, each.length, each.next) for each in decode(table)] == [(0, 1, (1,)), (1, 23, (101, 51, 61))]
    assert [(each.index, each.length, each.next) for each in decode(lookup)] == [(0, 20, (100, 50))]


@pytest.mark.parametrize("code", [b"\xcb", b"\xfe", b"\xaa\x00", b"\xc4"])
def test_what_is_no_code(code: bytes) -> None:
    with pytest.raises(MalformedCode):
        list(decode(code))
    assert once_per_pass(code, [0, 1]) == [0, 1]


def test_a_place_behind_another_on_a_straight_way_is_left_out() -> None:
    code = bytes([NOP, NOP, NOP, RETURN])
    assert once_per_pass(code, [0, 2]) == [0]
    assert once_per_pass(code, [2]) == [2]
    assert once_per_pass(b"", [0, 2]) == [0, 2]


def test_the_end_of_a_conditional_expression_is_left_out() -> None:
    #      0: ifeq 7;  3: nop;  4: goto 8;  7: nop;  8: nop;  9: return
    code = jump(IFEQ, 7) + bytes([NOP]) + jump(GOTO, 4) + bytes([NOP, NOP, RETURN])
    assert once_per_pass(code, [0, 8]) == [0]
    assert once_per_pass(code, [3, 7]) == [3, 7]  # two branches: one pass meets only one of them


def test_both_ends_of_a_loop_are_needed() -> None:
    #      0: nop;  1: ifeq 9;  4: nop;  5: nop;  6: goto 1;  9: return
    code = bytes([NOP]) + jump(IFEQ, 8) + bytes([NOP, NOP]) + jump(GOTO, -5) + bytes([RETURN])
    assert once_per_pass(code, [0, 5]) == [0, 5]
    assert once_per_pass(code, [4, 5]) == [4]  # within a round the one follows the other


def test_an_exception_handler_is_a_way_of_its_own() -> None:
    #      0: nop;  1: return;  2: nop, a handler;  3: athrow
    code = bytes([NOP, RETURN, NOP, ATHROW])
    assert once_per_pass(code, [0, 2]) == [0, 2]


def test_a_handler_is_reached_from_where_it_catches() -> None:
    #      0: nop;  1: nop;  2: goto 6;  5: nop, the handler of 0 and 1;  6: nop;  7: return
    code = bytes([NOP, NOP]) + jump(GOTO, 4) + bytes([NOP, NOP, RETURN])
    handlers = [(0, 2, 5)]
    assert [leads_to(code, index, 5, handlers) for index in (0, 1, 2, 5, 6)] == [True, True, False, False, False]
    assert [leads_to(code, index, 6, handlers) for index in (0, 1, 2, 5, 6)] == [True, True, True, True, False]
    assert [leads_to(code, index, 5) for index in (0, 2, 5, 6)] == [True] * 4, "any instruction may lead to it"


def test_a_handler_that_goes_back_makes_a_loop() -> None:
    #      0: nop;  1: nop;  2: return;  3: goto 0, the handler of 1
    code = bytes([NOP, NOP, RETURN]) + jump(GOTO, -3)
    assert [leads_to(code, index, index, [(1, 2, 3)]) for index in (0, 1, 2, 3)] == [True, True, False, True]
    assert leads_to(b"\xcb", 0, 0, []), "code that cannot be read may lead anywhere"
