"""Real devices: which there are, and what a unit does on one of them."""
