"""Work on a whole database: a move to another one, a new key, zones that are read again."""
