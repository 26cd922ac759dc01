"""The story of one number in one campaign, put together from the rows."""
