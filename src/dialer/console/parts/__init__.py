"""Parts of pages: cells, inputs, sentences, findings, and tables that are exported."""
