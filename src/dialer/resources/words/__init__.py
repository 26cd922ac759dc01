"""Words between a client and the service: errors, preconditions, unknown names, headers, and strict JSON."""
