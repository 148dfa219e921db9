"""Debian's Tomcat 10 as a program to be debugged: one web application, no configuration of the system.

Needs the jars of the package libtomcat10-java; ``./dev test`` installs it where it can.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.harness.jvms import javac
from tests.harness.needs import TOMCAT_JARS, tomcat_jars
from tests.harness.programs import Program
from tests.harness.targets import Target

SERVER = """\
<Server port="-1">
  <Service name="Catalina">
    <Connector port="0" address="127.0.0.1" protocol="HTTP/1.1" maxKeepAliveRequests="-1"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" deployOnStartup="false"><Context path="" docBase="ROOT"/></Host>
    </Engine>
  </Service>
</Server>
"""

WEB = """\
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
  <absolute-ordering/>
  <servlet>
    <servlet-name>default</servlet-name>
    <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
  </servlet>
  <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
</web-app>
"""

SERVLET = """\
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
  <absolute-ordering/>
  <servlet><servlet-name>own</servlet-name><servlet-class>{name}</servlet-class></servlet>
  <servlet-mapping><servlet-name>own</servlet-name><url-pattern>{path}</url-pattern></servlet-mapping>
</web-app>
"""


def tomcat_at(base: Path) -> tuple[Program, list[str]]:
    """Return Tomcat as a program, with the JVM options that make it serve one file, hello.txt, from ``base``."""
    assert tomcat_jars(), f"no Tomcat 10 in {TOMCAT_JARS}: apt-get install libtomcat10-java"
    (base / "conf").mkdir()
    (base / "conf" / "server.xml").write_text(SERVER)
    (base / "conf" / "web.xml").write_text(WEB)
    (base / "webapps" / "ROOT").mkdir(parents=True)
    (base / "webapps" / "ROOT" / "hello.txt").write_text("hello\n")
    for name in ("lib", "logs", "temp"):
        (base / name).mkdir()
    jars = ":".join(map(str, tomcat_jars()))
    program = Program(main="org.apache.catalina.startup.Bootstrap", classes=jars, sources="", markers={})
    return program, [f"-Dcatalina.base={base}"]


def add_servlet(base: Path, program: Program, name: str, path: str, sources: Sequence[Path]) -> None:
    """Give the Tomcat of ``tomcat_at`` a web application: the servlet of a class at a path, compiled from sources."""
    inside = base / "webapps/ROOT/WEB-INF"
    command = [javac(), "-g", "--release", "17", "-cp", program.classes, "-d", inside / "classes", *sources]
    subprocess.run(list(map(str, command)), check=True)
    (inside / "web.xml").write_text(SERVLET.format(name=name, path=path))


async def wait_started(target: Target) -> int:
    """Wait until Tomcat serves requests; return the port at which it does."""
    ready = await target.wait_output("Server startup in", stream="stderr")
    return int(re.findall(r"auto-1-(\d+)", ready)[-1])


@pytest.fixture
def tomcat(tmp_path: Path) -> tuple[Program, list[str]]:
    """Tomcat as a program, with the JVM options that make it serve one file from ``tmp_path``."""
    return tomcat_at(tmp_path)
