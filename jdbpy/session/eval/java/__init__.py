"""The rules of the Java language as far as expressions need them. Pure but for the facts that class_graph asks for."""
