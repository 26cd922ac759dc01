"""Money: amounts, rates and what calls cost."""
