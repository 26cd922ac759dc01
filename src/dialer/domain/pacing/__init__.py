"""Pacing: the number of calls that a campaign may place now. Each strategy is a module behind one interface."""
