"""The fault simulator: the service's own worker, journal and store in made-up worlds in which things go wrong."""
