"""Statistics of records with survey weights."""
