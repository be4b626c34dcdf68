"""Client of GitHub's REST API."""
