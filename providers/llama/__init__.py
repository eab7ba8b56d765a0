"""llama.cpp in a child process, and the grammars that it is given."""
