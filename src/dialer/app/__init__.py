"""What users can do: one verb a function, one unit of work each."""
