"""SIP without a socket: messages, transactions, dialogs and calls as values of time and bytes (RFC 3261)."""
