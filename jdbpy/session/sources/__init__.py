"""Source files of the debugged classes, and classes on this machine.

* ``sources``: the component: a window of lines, a whole file, where it was found
* ``text``: decoding a file, and judging whether it can be the one of a class; pure
* ``roots``: searching the directories and archives of the source path
* ``decompiler``: a program of the user's that makes Java of a class file
* ``class_lines``: lines of classes that are not loaded yet, from class files on this machine
* ``local_classes``: names of classes that the target may load later, and which of its paths may be opened here
"""
