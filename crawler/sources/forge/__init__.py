"""A client of GitHub's REST API: pages, conditional requests, budgets of requests, and what a repository is there."""
