"""Running one claimed task: its lease, its limits and its outcome."""
