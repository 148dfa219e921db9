"""Class files defined in the target, in the loader and package of the frame's class (JVMS 5.3.5)."""

from __future__ import annotations

from jdbpy.errors import StateError
from jdbpy.session.eval.javac.compiler import ClassFiles
from jdbpy.session.eval.own_calls import OwnCalls
from jdbpy.session.eval.target import Ref
from jdbpy.session.target import Target
from jdbpy.wire.ids import ClassObjectID, ObjectID
from jdbpy.wire.messages import class_object_reference

_LOADER = "java.lang.ClassLoader"
_DEFINE = "(Ljava/lang/String;[BII)Ljava/lang/Class;"


async def define_classes(target: Target, calls: OwnCalls, loader: Ref | None, compiled: ClassFiles) -> int:
    """Defines the classes and returns the id of the last, linked. Raises Thrown when the target refuses one.

    ``loader`` None stands for the system class loader. wire: 4 trips for each class.
    """
    if loader is None:
        found = await calls.static(_LOADER, "getSystemClassLoader", "()Ljava/lang/ClassLoader;")
        if not isinstance(found, Ref):
            raise StateError("the target has no system class loader", code="NOT_AVAILABLE")
        loader = found
    class_object: Ref | None = None
    for name, data in compiled.files:
        array = await calls.bytes(data)
        made = await calls.call(loader, _LOADER, "defineClass", _DEFINE, name, array, 0, len(data))
        assert isinstance(made, Ref)
        class_object = made
    assert class_object is not None
    # Only a linked class tells its methods, and this links it.
    await calls.call(class_object, "java.lang.Class", "getDeclaredFields", "()[Ljava/lang/reflect/Field;")
    command = class_object_reference.ReflectedType(ClassObjectID(ObjectID(class_object.id)))
    return (await target.conn.request(command)).typeID
