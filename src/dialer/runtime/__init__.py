"""The live loop: one clock, one engine, one carrier per gateway."""
