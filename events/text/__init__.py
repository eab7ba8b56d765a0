"""Text of any language, without a model: its words and sentences, the languages, search in what was said."""
