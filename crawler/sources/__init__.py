"""Where repositories come from: one file a source."""
