"""``anthropic-batch:MODEL`` and ``openai-batch:MODEL``: answers by the vendors' batch interfaces, at half the price.

``queue`` gathers calls, sends them as batches and takes up what a process before has sent · ``anthropic`` ``openai``
the vendors.  An answer comes within a day, so such a model judges where nobody waits, and does not speak.
"""
