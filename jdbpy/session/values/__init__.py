"""What values are shown as: described by reading fields, in other formats, as bytes; and writing them.

This package's own names are its plain data, public as ``jdbpy.values``.
"""

from jdbpy.session.values.formats import FORMATS, check_format
from jdbpy.session.values.model import Bytes, UserView

__all__ = ["FORMATS", "Bytes", "UserView", "check_format"]
