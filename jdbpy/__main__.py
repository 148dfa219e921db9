"""``python -m jdbpy``."""

import sys

from jdbpy.cli.main import main

sys.exit(main())
