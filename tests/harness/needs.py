"""What the tests need besides Python: ``python -m tests.harness.needs`` prints the Debian packages that are missing.

Prints nothing when all is there. ``./dev test`` installs what it prints where it can.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from jdbpy.session.opening.java_home import java_homes

TOMCAT_JARS = Path("/usr/share/java")
"""Where Debian's libtomcat10-java puts the jars of a servlet container; a test debugs it as a program of the world."""


def tomcat_jars() -> list[Path]:
    """The jars of Tomcat 10, without the links that repeat them under other names; empty when it is not installed."""
    return sorted(jar for jar in TOMCAT_JARS.glob("tomcat10-*.jar") if not jar.is_symlink())


def emacs() -> str | None:
    """The Emacs whose gud-jdb a test drives; None when it is not installed."""
    return shutil.which("emacs")


def missing_packages() -> list[str]:
    """Names of Debian packages, in the order in which to install them."""
    missing = []
    if not any(home.javac and home.feature >= 17 for home in java_homes()):
        missing.append(_jdk_package())
    if not tomcat_jars():
        missing.append("libtomcat10-java")
    if emacs() is None:
        missing.append("emacs-nox")
    return missing


def _jdk_package() -> str:
    """Debian 12's own release of Java is 17, the oldest that the tests cover; later ones bring a newer JDK."""
    version = Path("/etc/debian_version")
    bookworm = version.is_file() and version.read_text(encoding="utf-8").startswith(("11", "12"))
    return "openjdk-17-jdk-headless" if bookworm else "default-jdk-headless"


if __name__ == "__main__":
    sys.stdout.write(" ".join(missing_packages()))
