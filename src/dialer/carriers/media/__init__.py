"""Sound over RTP without a socket: packets, codecs, tones, and the orders to a leg (RFC 3550, RFC 3551, RFC 4733)."""
