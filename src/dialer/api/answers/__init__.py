"""Answers that take more than a record: the controller of all resources, downloads, and streamed lists."""
