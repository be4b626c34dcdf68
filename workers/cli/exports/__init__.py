"""The command `export`, and what it shares with others that write files."""
