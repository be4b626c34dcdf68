"""How crawls and tasks stand."""
