"""The journal: it stores the effects of the engine as rows."""
