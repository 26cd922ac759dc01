"""Resources: the records of the API as declared values, and the units of work that read and write them."""
