"""Strings of JDWP: UTF-8 as HotSpot really sends it.

Owns the codec error handler ``ENCODING_ERRORS``, to be used as ``data.decode("utf-8", ENCODING_ERRORS)`` and
``text.encode("utf-8", ENCODING_ERRORS)``. A Java string is a sequence of UTF-16 code units, so it can hold half a
surrogate pair, which strict UTF-8 has no place for; HotSpot sends it as three bytes, and so do we. An agent started
with ``mutf8=y`` sends modified UTF-8 instead: both halves of a pair as three bytes each, and NUL as C0 80. All of this
is read; anything else that is not UTF-8 stays a ``UnicodeDecodeError``.
"""

from __future__ import annotations

import codecs

ENCODING_ERRORS = "jdbpy.jdwp"


def _handle(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeDecodeError):
        return _decode_surrogate(error)
    if isinstance(error, UnicodeEncodeError):
        return _joined(error.object[error.start : error.end]).encode("utf-8", "surrogatepass"), error.end
    raise error


def _decode_surrogate(error: UnicodeDecodeError) -> tuple[str, int]:
    data, start = error.object, error.start
    if data[start : start + 2] == b"\xc0\x80":
        return "\0", start + 2
    end = start
    while data[end : end + 1] == b"\xed" and len(data[end : end + 3]) == 3:
        end += 3
    if end == start:
        raise error
    try:
        return _joined(data[start:end].decode("utf-8", "surrogatepass")), end
    except UnicodeDecodeError:
        raise error from None


def _joined(text: str) -> str:
    """Return the same Java string with every pair of surrogates as the one character that it encodes."""
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


codecs.register_error(ENCODING_ERRORS, _handle)
