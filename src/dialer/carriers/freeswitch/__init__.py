"""FreeSWITCH over its event socket: frames, events, commands and legs as values, and their connection."""
