"""Charts and drawings, as shapes that templates draw."""
