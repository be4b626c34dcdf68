"""Find and download source distributions in the package index that pip is configured for."""
