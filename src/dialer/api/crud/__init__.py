"""What all resources have in common: fields, lists, references, and one controller."""
