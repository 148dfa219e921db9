"""The interactive prompt: the loop, the line editor and its thread, completion, the toolbar, the output above it."""
