"""From the text of a model to its answer: the stream, the thinking apart from it, schemas, and lenient reading."""
