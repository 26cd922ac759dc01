"""Records in files: what `dialer apply` reads and writes, and what `dialer export` prints."""
