"""What users do with campaigns, their subscribers and their trial calls."""
