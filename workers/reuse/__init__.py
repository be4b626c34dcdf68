"""Results of earlier commits and forks that need not be computed again."""
