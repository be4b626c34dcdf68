"""Headers that a kernel unit includes: its prelude, our shims and installed libraries."""
