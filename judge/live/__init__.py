"""The live judge: the questions about each turn, and the rules that turn the answers into events."""
