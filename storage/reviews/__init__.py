"""Reviews in SQL: rows that are only added to, and what they come to."""
