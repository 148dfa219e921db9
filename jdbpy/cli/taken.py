"""Suggests a way in to a JVM that another debugger holds: joining its session, if that is served on this machine."""

from __future__ import annotations

from jdbpy import ConnectError, JdbpyError


async def with_way_in(error: JdbpyError) -> JdbpyError:
    """Return the error of a failed attach, with the session to join as its hint if there is one."""
    if isinstance(error, ConnectError) and error.taken:
        from jdbpy.serve.served_here import session_with  # few attempts fail so

        if name := await session_with(error.taken):
            error.hint = f"'jdbpy join {name}' joins the session that debugs it"
    return error
