"""What the tests need besides Python: ``python -m tests.harness.needs`` prints the Debian packages that are missing.

Prints nothing when all is there. ``./dev test`` installs what it prints where it can.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from jdbpy.session.local.java_home import java_homes

TOMCAT_JARS = Path("/usr/share/java")
"""Where Debian's packages put jars: those of a servlet container, which a test debugs as a program of the world, and
those of other languages."""


def tomcat_jars() -> list[Path]:
    """The jars of Tomcat 10, without the links that repeat them under other names; empty when it is not installed."""
    return sorted(jar for jar in TOMCAT_JARS.glob("tomcat10-*.jar") if not jar.is_symlink())


LIBRARIES = {
    "clojure": ("libclojure-java", ("clojure.jar", "spec.alpha.jar", "core.specs.alpha.jar")),
    "groovy": ("groovy", ("groovy-all.jar",)),
    "jruby": ("jruby", ("jruby-core.jar",)),
    "kotlin": ("kotlin", ("kotlin-stdlib.jar",)),
    "scala": ("scala-library", ("scala-library.jar",)),
}
"""Libraries of other languages: Debian's package of each and its jars, those of what it depends on included."""


def library_jars(language: str) -> tuple[str, ...]:
    """The jars of another language's library; empty when they are not installed."""
    jars = [TOMCAT_JARS / name for name in LIBRARIES[language][1]]
    return tuple(map(str, jars)) if all(jar.is_file() for jar in jars) else ()


COMPILERS = {"groovy": "groovyc", "kotlin": "kotlinc", "scala": "scalac"}
"""The compilers of other languages, each in the package of its language's name."""


def compiler(language: str) -> str | None:
    """The compiler of another language; None when it is not installed."""
    return shutil.which(COMPILERS[language])


def emacs() -> str | None:
    """The Emacs whose gud-jdb a test drives; None when it is not installed."""
    return shutil.which("emacs")


def sshd() -> str | None:
    """The ssh server through which a test attaches; None when it is not installed."""
    return shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin")


MAVEN_PLUGINS = Path("/usr/share/maven-repo/org/apache/maven/plugins")


def maven() -> tuple[str, str] | None:
    """Debian's ``mvn``, and a goal that it can run without a network; None when they are not installed."""
    program = shutil.which("mvn")
    versions = sorted(each.parent.name for each in MAVEN_PLUGINS.glob("maven-jar-plugin/*/*.jar"))
    return (program, f"org.apache.maven.plugins:maven-jar-plugin:{versions[-1]}:jar") if program and versions else None


FRAMEWORKS = {
    "junit4": ("junit4.jar", "hamcrest-all.jar"),
    "junit5": (
        *(f"junit-jupiter-{part}.jar" for part in ("api", "engine")),
        *(f"junit-platform-{part}.jar" for part in ("commons", "engine", "launcher", "console", "reporting")),
        *("opentest4j.jar", "apiguardian-api.jar", "picocli.jar"),
    ),
    "libspock-java": ("spock-core.jar", "groovy-all.jar", "junit4.jar", "hamcrest-all.jar"),
    "testng": ("testng.jar", "jcommander.jar", "bsh.jar"),
}
"""Test frameworks by Debian's package of each, with its jars."""


def framework_jars(package: str) -> tuple[str, ...]:
    """The jars of a test framework; empty when they are not installed."""
    jars = [TOMCAT_JARS / name for name in FRAMEWORKS[package]]
    return tuple(map(str, jars)) if all(jar.is_file() for jar in jars) else ()


def surefire() -> tuple[str, str] | None:
    """Debian's ``mvn``, and the goal that runs tests without a network; None when they are not installed."""
    program = shutil.which("mvn")
    versions = sorted(each.parent.name for each in MAVEN_PLUGINS.glob("maven-surefire-plugin/2.22*/*.jar"))
    return (
        (program, f"org.apache.maven.plugins:maven-surefire-plugin:{versions[-1]}:test")
        if program and versions
        else None
    )


def missing_packages() -> list[str]:
    """Names of Debian packages, in the order in which to install them."""
    missing = []
    if not any(home.javac and home.feature >= 17 for home in java_homes()):
        missing.append(_jdk_package())
    if not tomcat_jars():
        missing.append("libtomcat10-java")
    missing += [package for language, (package, _) in LIBRARIES.items() if not library_jars(language)]
    if emacs() is None:
        missing.append("emacs-nox")
    if sshd() is None or shutil.which("ssh") is None:
        missing += ["openssh-server", "openssh-client"]
    if maven() is None:
        missing += ["maven", "libmaven-jar-plugin-java"]
    if surefire() is None:
        missing.append("libsurefire-java")
    missing += [package for package in FRAMEWORKS if not framework_jars(package)]
    missing += [language for language in COMPILERS if compiler(language) is None and language not in missing]
    return missing


def _jdk_package() -> str:
    """Debian 12's own release of Java is 17, the oldest that the tests cover; later ones bring a newer JDK."""
    version = Path("/etc/debian_version")
    bookworm = version.is_file() and version.read_text(encoding="utf-8").startswith(("11", "12"))
    return "openjdk-17-jdk-headless" if bookworm else "default-jdk-headless"


if __name__ == "__main__":
    sys.stdout.write(" ".join(missing_packages()))
