"""The way of people into a campaign: who is meant, who may be called, and the rows of new subscribers."""
