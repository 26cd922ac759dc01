"""The resources, one module for each part of the house: their fields, and what is special to each."""
