"""Versions of class files in words (JVMS 4.1, table 4.1-A). Pure."""

from __future__ import annotations

_PREVIEW = 65535


def version_words(version: tuple[int, int]) -> str:
    """(61, 0) is "61.0, Java 17"; a class compiled with preview features says so."""
    major, minor = version
    preview = " with preview features" if minor == _PREVIEW and major >= 56 else ""
    return f"{major}.{minor}, Java {java_release(major)}{preview}"


def java_release(major: int) -> str:
    """The release of Java that a major version belongs to: "17" of 61, "1.4" of 48."""
    return str(major - 44) if major >= 49 else f"1.{max(1, major - 44)}"
