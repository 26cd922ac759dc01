"""Pacing: how many calls a campaign may place now. One strategy a module, all behind one interface."""
