"""Places: the countries and the time zones of numbers, by how they begin."""
