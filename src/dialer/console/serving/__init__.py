"""The service behind every page: sessions, forms and their proof, errors, and parts that live."""
