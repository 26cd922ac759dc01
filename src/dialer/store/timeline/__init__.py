"""The story of a number in a campaign, read from the rows."""
