"""The compile database of a checkout, merged from all build systems."""
