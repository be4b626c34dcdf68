"""Commands about crawls."""
