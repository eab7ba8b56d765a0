"""Turns spoken by an OpenAI-compatible ``/v1/audio/speech``: the calls, the sounds on disk, a debate as one recording.

What is spoken is the text of the log; nothing of it is recorded there.
"""
