"""The steps of a worker: the engine, the guard that checks it, and the commit of what it decided."""
