"""Phone numbers: their normal form, their spellings, and caller IDs."""
