"""Operations: what a compiled expression consists of. Each has a static type and runs against an ``EvalTarget``."""
