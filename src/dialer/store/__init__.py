"""The store: the rows that the service keeps, and the transactions that change them."""
