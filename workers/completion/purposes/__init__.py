"""What a model may be asked for: one file each, found by itself."""
