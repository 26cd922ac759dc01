"""The shares of several workers: shards of accounts, and parts of gateways."""
