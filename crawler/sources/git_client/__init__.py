"""A git client for untrusted repositories: no hooks, no filters, no checkout."""
