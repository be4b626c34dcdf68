"""Port rules, one module each, in the order of their `order`."""
