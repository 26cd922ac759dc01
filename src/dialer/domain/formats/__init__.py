"""Forms of what comes from outside: files of sound, network addresses, cells of a spreadsheet."""
