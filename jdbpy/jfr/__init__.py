"""Reads recordings of the JDK's flight recorder (JFR) without a JDK. Depends only on the errors of jdbpy.

    import jdbpy.jfr

    for event in jdbpy.jfr.read("app.jfr").events("jdk.ThreadSleep"):
        print(event.start, event.thread["javaName"], event["time"])

* ``primitives``: integers, strings, the header of a chunk; ``BadRecording``
* ``metadata``: the types that a chunk describes
* ``readers``: functions that read values of a type, compiled for each
* ``chunk``: the events and constants of one chunk, raw
* ``values``: events and values with constants resolved
* ``recording``: all chunks of a file
* ``printing``: events as ``jfr print --json`` writes them
"""

from jdbpy.jfr.chunk import Chunk as Chunk
from jdbpy.jfr.metadata import Type as Type, TypedField as TypedField
from jdbpy.jfr.primitives import BadRecording as BadRecording
from jdbpy.jfr.recording import FlightRecording as FlightRecording, read as read
from jdbpy.jfr.values import Event as Event, Struct as Struct
