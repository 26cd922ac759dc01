"""Imports: files and lists of numbers become contacts and entries of do-not-call lists."""
