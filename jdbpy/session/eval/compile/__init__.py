"""From syntax trees to operations: names, types, overloads, errors in javac's words. Asks for facts, runs nothing."""
