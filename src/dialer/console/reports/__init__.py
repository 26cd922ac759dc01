"""Reports that are sent: their kinds, the mails that bring them, and the task that sends them."""
