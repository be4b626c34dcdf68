"""Leases of tasks: claimed, extended, ended, and reclaimed from workers that died."""
