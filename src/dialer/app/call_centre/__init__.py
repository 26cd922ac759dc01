"""What agents and their supervisors do and see."""
