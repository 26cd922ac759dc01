"""The parts that all resources share: fields, lists, references and one controller."""
