"""Judge candidates on this machine, and keep what came of them."""
