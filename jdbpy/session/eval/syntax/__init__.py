"""From text to the evaluator's syntax tree. Pure; knows nothing of types or of the target."""
