"""The journal: effects of the engine become rows."""
