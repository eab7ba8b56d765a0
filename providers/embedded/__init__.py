"""The provider ``embedded``: llama.cpp in a child process, and the grammars for its answers."""
