"""Telephones over the network: sockets, sound files and a clock around `carriers.sip` and `carriers.media`."""
