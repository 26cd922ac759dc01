"""The main job on real input, in one command: a whole campaign day over the REST API, with every figure checked."""
