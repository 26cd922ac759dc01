"""The demonstration: a whole campaign day over the REST API, with every figure checked."""
