"""Bundles of objects and cases for runners on other machines."""
