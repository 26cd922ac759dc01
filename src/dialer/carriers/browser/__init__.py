"""Telephones in browsers (WebRTC): their descriptions, paths and sound, without sockets and clocks."""
