"""The live judge: questions about each turn, and the rules that turn answers into events."""
