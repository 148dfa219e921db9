"""A web application in Tomcat, built and deployed for one test."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from tests.harness import Program
from tests.harness.tomcat import add_servlet, tomcat as tomcat

HELLO = """\
package web;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

public class Hello extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws java.io.IOException {
        String name = request.getParameter("name");
        String text = text(name);
        response.getWriter().print(text);
    }

    static String text(String name) {
        return Words.GREETING + " " + name;
    }
}
"""


WORDS = 'package web; class Words { static final String GREETING = new String("Hello"), PARTING = new String("Bye"); }'


@pytest.fixture
def application(tomcat: tuple[Program, list[str]], tmp_path: Path) -> tuple[Program, list[str]]:
    """Tomcat with a servlet of its own, whose source is ``web/Hello.java`` below ``tmp_path``."""
    program, _ = tomcat
    (tmp_path / "web").mkdir()
    (tmp_path / "web/Hello.java").write_text(HELLO)
    (tmp_path / "web/Words.java").write_text(WORDS)
    sources = [tmp_path / "web/Hello.java", tmp_path / "web/Words.java"]
    add_servlet(tmp_path, program, "web.Hello", "/hello", sources)
    return tomcat


async def get(port: int, name: str) -> str:
    """The answer of the servlet for a name."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(f"GET /hello?name={name} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        answer = "".join([chunk.decode() async for chunk in stream])
    return answer.partition("\r\n\r\n")[2]
