"""Lists: those over an array, linked ones, and windows on others; queues and deques.

A linked queue costs a round trip for each element that is shown.
"""

from __future__ import annotations

from jdbpy.session.values.obj import Obj, number, reference
from jdbpy.session.values.shown import Items, Shown, UnknownLayout
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import (
    array_prefix,
    chain,
    double_chain,
    items_of,
    ring,
    total,
    whole_array,
    with_node_class,
)


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
        raise UnknownLayout("the list behind it does not give its size")
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


@view("java.util.ArrayDeque")
async def array_deque(obj: Obj) -> Shown:
    """Elements from ``head`` up to ``tail``, round the end of the array; JDK 8 does it with a power of two."""
    array, head, tail = await obj.read("elements", "head", "tail")
    size = (number(tail) - number(head)) % await obj.reader.length(reference(array))
    return await ring(obj, array, number(head), size)


@view("java.util.PriorityQueue", "java.util.concurrent.PriorityBlockingQueue")
async def priority_queue(obj: Obj) -> Shown:
    """Show it in the order of the heap, which is the order of its iterator too."""
    size, array = await obj.read("size", "queue")
    return await array_prefix(obj, array, number(size))


@view("java.util.concurrent.DelayQueue")
async def delay_queue(obj: Obj) -> Shown:
    return await items_of(obj, await obj.get("q"), obj.want)


@view("java.util.concurrent.ArrayBlockingQueue")
async def array_blocking_queue(obj: Obj) -> Shown:
    array, start, size = await obj.read("items", "takeIndex", "count")
    return await ring(obj, array, number(start), number(size))


@view("java.util.concurrent.LinkedBlockingQueue")
async def linked_blocking_queue(obj: Obj) -> Shown:
    """The first node is a dummy without an item."""
    if not obj.want:
        return Items(await total(obj, await obj.get("count")), [])
    (count, head), node = await with_node_class(obj, ["count", "head"], "head")
    size = await total(obj, count)
    return Items(size, await chain(obj.reader, node, head, min(size, obj.want), in_part=True))


@view("java.util.concurrent.LinkedBlockingDeque")
async def linked_blocking_deque(obj: Obj) -> Shown:
    if not obj.want:
        return Items(number(await obj.get("count")), [])
    (count, first, last), node = await with_node_class(obj, ["count", "first", "last"], "first")
    size = number(count)
    return Items(size, await double_chain(obj.reader, node, first, last, size, obj.want))


@view("java.util.concurrent.ConcurrentLinkedQueue", "java.util.concurrent.ConcurrentLinkedDeque")
async def concurrent_linked_queue(obj: Obj) -> Shown:
    """Show it without a count, which it does not keep: the size is shown only when all elements are."""
    if not obj.want:
        return Items(None, [])
    [head], node = await with_node_class(obj, ["head"], "head")
    items = await chain(obj.reader, node, head, obj.want + 1)
    return Items(len(items) if len(items) <= obj.want else None, items[: obj.want])
