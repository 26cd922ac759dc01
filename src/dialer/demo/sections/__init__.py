"""The parts of the demonstration's report: each works out its figures, has them checked, and shows them."""
