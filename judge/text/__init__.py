"""Text measured without a model: sentences and content words, and the specific claims in it."""
