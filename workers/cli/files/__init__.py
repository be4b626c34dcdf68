"""Commands about files and folders, without an index."""
