"""Profiles of the test JVMs of a build.

Before its first test, each JVM is told over its attach socket to start a recording and to write it to a file when the
JVM exits. The JVM writes the file itself, however its tests end it; no thread is suspended.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import trio

from jdbpy.jfr.recording import FlightRecording
from jdbpy.profiles.kinds import CPU, settings_of
from jdbpy.profiles.profile import Profile
from jdbpy.profiles.recorded import read_profile
from jdbpy.session.without_agent.attach_socket import AttachError
from jdbpy.session.without_agent.channels import OwnChannel

_LIMIT = 20.0
"""Seconds allowed for starting a recording."""

_MAXIMUM = "250m"


class BuildProfiles:
    """The recordings of a build. The caller owns the directory; ``warn`` is called for each missing recording."""

    def __init__(self, directory: str, warn: Callable[[str], None], kind: str = CPU) -> None:
        self._directory = directory
        self._warn = warn
        self._kind = kind
        self._begun: dict[str, dict[str, str]] = {}  # by names of JVMs, their settings

    async def begin(self, name: str, pid: int, release: int) -> None:
        """Start a recording in a JVM; warn if that fails."""
        path = os.path.join(self._directory, f"{name}.jfr")
        words = f'JFR.start name=jdbpy filename="{path}" dumponexit=true maxsize={_MAXIMUM}'
        given: dict[str, str] = {}
        if release >= 17:
            given = settings_of(self._kind, release)
            words += " settings=none " + " ".join(f"+{key}={value}" for key, value in given.items())
        else:  # events cannot be set one by one there
            words += " settings=profile"
        try:
            status, said = await OwnChannel(pid).ask("jcmd", words, limit=_LIMIT)
        except AttachError as error:
            status, said = 1, str(error)
        if status or "Started recording" not in said:
            self._warn(f"{name} is not profiled: {' '.join(said.split())[:200] or 'it says nothing'}")
            return
        self._begun[name] = given

    async def read(self) -> list[Profile]:
        """Return the profiles of the JVMs that have exited; warn about each that wrote none."""
        found = []
        for name, given in self._begun.items():
            path = os.path.join(self._directory, f"{name}.jfr")
            profile = await trio.to_thread.run_sync(self._read, path, given)
            if profile is None:
                self._warn(f"{name} has left no profile: it was ended from outside, or runs still")
            else:
                found.append(profile)
        return found

    def _read(self, path: str, given: dict[str, str]) -> Profile | None:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            return None
        if not data:
            return None
        profile = read_profile(FlightRecording(data), self._kind, given)
        profile.recorded = len(data)
        return profile
