"""Commands for whoever operates a machine or a cluster."""
