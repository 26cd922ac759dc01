"""The worker: whole campaigns on a real database, under a virtual clock."""
