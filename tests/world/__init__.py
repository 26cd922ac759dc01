"""The page `docs/reference/world.md`: what libraries say of the world, so that an upgrade is read."""
