"""The parts that all resources share: fields, filters, references, lists and single records."""
