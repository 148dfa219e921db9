"""Java without a target: names, types, arithmetic, literals, class files, bytecode, source maps. Pure."""
