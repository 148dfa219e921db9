"""Hot swap: classes of a running target replaced by what was compiled meanwhile.

* ``hotswap``: the component ``session.hotswap``
* ``files``: class files on this machine, or compiled of source
* ``differences``: what differs between two versions of a class; why the VM refuses one; pure
"""
