"""Tests of telephones in browsers, without sockets."""
