"""The debuggers that are measured side by side: ``floor`` (a bare socket), jdb and jdbpy's command line
(``conversation``), jdbpy's prompt on a terminal (``terminal``), a program on JDI (``jdi``).
"""
