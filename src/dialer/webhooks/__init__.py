"""Events on their way to programs: their signatures, their streams, and examples of them."""
