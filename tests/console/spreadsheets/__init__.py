"""Spreadsheets as people have them, some written by LibreOffice 7.4, the others built by `tests.console.workbooks`."""
