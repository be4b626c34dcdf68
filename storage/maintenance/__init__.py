"""Garbage collection, verification, purging and migration of a store."""
