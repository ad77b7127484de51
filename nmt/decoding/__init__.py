"""From a model to text: beam search and the translator."""
