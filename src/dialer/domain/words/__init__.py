"""The words of the field: statuses, reasons, causes, roles, and how people are told of them."""
