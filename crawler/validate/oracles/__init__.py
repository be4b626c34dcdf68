"""Oracles: independent sources of golden outputs, one file each."""
