"""The sandboxed process that parses, and its parent."""
