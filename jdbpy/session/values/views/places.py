"""Names of places: files, URIs, network addresses."""

from __future__ import annotations

import ipaddress

from jdbpy.session.values.obj import Obj, number, reference
from jdbpy.session.values.shown import Scalar, Shown
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.waves import both
from jdbpy.wire.ids import TaggedValue


@view("java.io.File")
async def file(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("path")) or "")


@view("sun.nio.fs.UnixPath", "jdk.nio.zipfs.ZipPath", "com.sun.nio.zipfs.ZipPath")
async def byte_path(obj: Obj) -> Shown:
    """A path in bytes of the file system's own encoding, which is UTF-8 nearly everywhere."""
    data = bytes(number(byte) & 0xFF for byte in await obj.elements(await obj.get("path")))
    return Scalar(data.decode("utf-8", "replace"))


@view("sun.nio.fs.WindowsPath")
async def windows_path(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("path")) or "")


@view("java.net.URI")
async def uri(obj: Obj) -> Shown:
    """Its text is kept once it was asked for; until then it is put together as URI.toString would (RFC 2396, 5.2)."""
    names = ("string", "scheme", "schemeSpecificPart", "authority", "path", "query", "fragment", "host", "userInfo")
    *values, port = await obj.read(*names, "port")
    parts = dict(zip(names, await obj.texts(values), strict=True))
    if parts["string"] is not None:
        return Scalar(parts["string"])
    authority = parts["authority"]
    if authority is None and parts["host"] is not None:
        user = f"{parts['userInfo']}@" if parts["userInfo"] is not None else ""
        authority = f"{user}{parts['host']}" + (f":{number(port)}" if number(port) >= 0 else "")
    text = f"{parts['scheme']}:" if parts["scheme"] is not None else ""
    if parts["path"] is None and parts["schemeSpecificPart"] is not None:
        text += parts["schemeSpecificPart"]
    else:
        text += f"//{authority}" if authority is not None else ""
        text += parts["path"] or ""
        text += f"?{parts['query']}" if parts["query"] is not None else ""
    return Scalar(text + (f"#{parts['fragment']}" if parts["fragment"] is not None else ""))


@view("java.net.URL")
async def url(obj: Obj) -> Shown:
    protocol, authority, rest, ref = await obj.texts(await obj.read("protocol", "authority", "file", "ref"))
    text = f"{protocol}:" + (f"//{authority}" if authority else "") + (rest or "")
    return Scalar(text + (f"#{ref}" if ref is not None else ""))


@view("java.net.Inet4Address")
async def inet4_address(obj: Obj) -> Shown:
    """As InetAddress.toString: the name, if it is known, a slash, and the address."""
    host, address = await obj.object_fields(await obj.get("holder"), "hostName", "address")
    name = await obj.text(host)
    return Scalar(f"{name or ''}/{ipaddress.IPv4Address(number(address) & 0xFFFFFFFF)}")


@view("java.net.Inet6Address")
async def inet6_address(obj: Obj) -> Shown:
    holder, holder6 = await obj.read("holder", "holder6")
    [host], [array] = await both(obj.object_fields(holder, "hostName"), obj.object_fields(holder6, "ipaddress"))
    name, data = await both(obj.text(host), obj.elements(array))
    address = ipaddress.IPv6Address(bytes(number(byte) & 0xFF for byte in data))
    return Scalar(f"{name or ''}/{':'.join(f'{int(group, 16):x}' for group in address.exploded.split(':'))}")


@view("java.net.InetSocketAddress")
async def socket_address(obj: Obj) -> Shown:
    host, address, port = await obj.object_fields(await obj.get("holder"), "hostname", "addr", "port")
    if not address.value:
        return Scalar(f"{await obj.text(host)}/<unresolved>:{number(port)}")
    return Scalar(f"{await _address(obj, address)}:{number(port)}")


async def _address(obj: Obj, value: TaggedValue) -> str:
    reference(value)
    shown = await obj.show(value)
    return shown.text if isinstance(shown, Scalar) else "?"
