"""Publish kernel records as datasets."""
