"""Find and fetch repositories and source archives."""
