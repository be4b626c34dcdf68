"""Crawls: which tasks belong to one, its state, and tasks that no worker may run."""
