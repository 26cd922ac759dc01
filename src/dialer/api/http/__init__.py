"""HTTP: what holds for every request, whichever resource it asks for."""
