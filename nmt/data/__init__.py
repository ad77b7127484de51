"""Text files, tokenizers, vocabularies, corpora and batches."""
