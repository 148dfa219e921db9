"""Lists: those over an array, linked ones, and windows on others."""

from __future__ import annotations

from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.shown import Items, Shown, UnknownLayout
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import array_prefix, double_chain, items_of, whole_array, with_node_class


@view("java.util.ArrayList")
async def array_list(obj: Obj) -> Shown:
    size, array = await obj.read("size", "elementData")
    return await array_prefix(obj, array, number(size))


@view("java.util.Vector")
async def vector(obj: Obj) -> Shown:
    size, array = await obj.read("elementCount", "elementData")
    return await array_prefix(obj, array, number(size))


@view("java.util.Arrays$ArrayList")
async def array_as_list(obj: Obj) -> Shown:
    return await whole_array(obj, await obj.get("a"))


@view("java.util.concurrent.CopyOnWriteArrayList")
async def copy_on_write_list(obj: Obj) -> Shown:
    return await whole_array(obj, await obj.get("array"))


@view("java.util.LinkedList")
async def linked_list(obj: Obj) -> Shown:
    if not obj.want:
        return Items(number(await obj.get("size")), [])
    (size, first, last), node = await with_node_class(obj, ["size", "first", "last"], "first")
    return Items(number(size), await double_chain(obj.reader, node, first, last, number(size), obj.want))


@view(
    "java.util.ArrayList$SubList",
    "java.util.AbstractList$SubList",
    "java.util.SubList",
    "java.util.ImmutableCollections$SubList",
)
async def sub_list(obj: Obj) -> Shown:
    """A window on another list: ``root`` since JDK 9, before that the enclosing list or ``l``."""
    whole = next((name for name in ("root", "this$0", "l") if obj.has(name)), "root")
    root, offset, size = await obj.read(whole, "offset", "size")
    start, count = number(offset), min(number(size), obj.want)
    items = (await items_of(obj, root, start + count)).items if count else []
    return Items(number(size), items[start : start + count])


@view("java.util.ReverseOrderListView")
async def reversed_list(obj: Obj) -> Shown:
    base = await obj.get("base")
    size = (await items_of(obj, base, 0)).size
    if size is None:
        raise UnknownLayout("the list behind it does not tell its size")
    items = (await items_of(obj, base, size)).items if obj.want else []
    return Items(size, items[::-1][: obj.want])


@view("java.util.Collections$SingletonList")
async def singleton_list(obj: Obj) -> Shown:
    return Items(1, [await obj.get("element")])


@view("java.util.Collections$EmptyList")
async def empty_list(obj: Obj) -> Shown:
    return Items(0, [])


@view("java.util.Collections$CopiesList")
async def copies(obj: Obj) -> Shown:
    size, element = await obj.read("n", "element")
    return Items(number(size), [element] * min(number(size), obj.want))
