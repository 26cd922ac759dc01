"""Files: uploaded audio, recordings of callees, and files that no record names any more."""
