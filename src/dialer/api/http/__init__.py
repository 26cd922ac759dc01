"""HTTP: the parts that every request shares, whatever its resource."""
