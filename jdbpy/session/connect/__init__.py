"""The ways to a session, and what they need.

* ``attach``: ``attach`` and ``listen``; the order in which a session comes up and is taken down
* ``tcp``: connections to agents, and why there is none
* ``greeting``: addresses, and the first words with a target
* ``launch``: a JVM of our own; ``launched``: its process; ``java_command``: what follows ``java``;
  ``program_output``: what it writes; ``local_jvms``: those of this machine
* ``transports``: a class for each kind of address: ``ssh://``, ``docker://``, ``k8s://``, ``pid://``
* ``transport_process``: a program that carries a connection: ssh, docker, kubectl
* ``listening``: a port for any number of JVMs; ``relay``: one of them handed on to another debugger
* ``build``: a command that runs tests in JVMs of its own;
  ``build_failures``: what fails there, read in passing; ``build_profiles``: profiles of these JVMs
* ``without_agent``: a JVM that was started without the agent, by its attach socket
* ``logs``: the files that a session writes as it goes
* ``offline``: a snapshot in a file, in place of a JVM
"""
