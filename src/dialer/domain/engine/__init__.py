"""The engine: decides on each event what is dialled, hung up, connected and finished."""
