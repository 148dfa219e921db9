"""Values that are best shown as one word: files, URIs, network addresses, locales; and simple collections of Kotlin."""

from __future__ import annotations

import ipaddress
from itertools import pairwise

from jdbpy.session.jvm.reading import read_both
from jdbpy.session.values.obj import Obj, number, reference
from jdbpy.session.values.shown import Entries, Items, Part, Parts, Scalar, Shown
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import ring
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
    """Show it as InetAddress.toString does: the name, if it is known, a slash, and the address."""
    host, address = await obj.object_fields(await obj.get("holder"), "hostName", "address")
    name = await obj.text(host)
    return Scalar(f"{name or ''}/{ipaddress.IPv4Address(number(address) & 0xFFFFFFFF)}")


@view("java.net.Inet6Address")
async def inet6_address(obj: Obj) -> Shown:
    holder, holder6 = await obj.read("holder", "holder6")
    [host], [array] = await read_both(obj.object_fields(holder, "hostName"), obj.object_fields(holder6, "ipaddress"))
    name, data = await read_both(obj.text(host), obj.elements(array))
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


@view("java.util.UUID")
async def uuid(obj: Obj) -> Shown:
    most, least = (number(half) & (1 << 64) - 1 for half in await obj.read("mostSigBits", "leastSigBits"))
    digits = f"{most:016x}{least:016x}"
    cuts = (0, 8, 12, 16, 20, 32)
    return Scalar("-".join(digits[start:end] for start, end in pairwise(cuts)))


@view("java.util.Locale")
async def locale(obj: Obj) -> Shown:
    """Show it as Locale.toString does, for those that have no more than language, region and variant."""
    names = ("language", "region", "variant")
    language, region, variant = await obj.texts(await obj.object_fields(await obj.get("baseLocale"), *names))
    return Scalar("_".join([language or "", region or "", variant or ""]).rstrip("_"))


@view("java.util.Currency")
async def currency(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("currencyCode")) or "")


@view("java.util.regex.Pattern")
async def pattern(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("pattern")) or "")


@view("java.nio.charset.Charset")
async def charset(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("name")) or "")


@view("java.nio.Buffer")
async def buffer(obj: Obj) -> Shown:
    position, limit, capacity = map(number, await obj.read("position", "limit", "capacity"))
    name = obj.name.rpartition(".")[2]
    return Scalar(f"{name}[pos={position} lim={limit} cap={capacity}]", fields=True)


# -- Kotlin ------------------------------------------------------------------------------------------------------


@view("kotlin.Pair", "kotlin.Triple")
async def data_class(obj: Obj) -> Shown:
    names = [name for name in ("first", "second", "third") if obj.has(name)]
    return Parts([Part(name, value) for name, value in zip(names, await obj.read(*names), strict=True)])


@view("kotlin.collections.ArrayDeque")
async def kotlin_deque(obj: Obj) -> Shown:
    head, array, size = await obj.read("head", "elementData", "size")
    return await ring(obj, array, number(head), number(size))


@view("kotlin.collections.EmptyList", "kotlin.collections.EmptySet")
async def kotlin_empty(obj: Obj) -> Shown:
    return Items(0, [])


@view("kotlin.collections.EmptyMap")
async def kotlin_empty_map(obj: Obj) -> Shown:
    return Entries(0, [])
