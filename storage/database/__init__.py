"""Databases: engines, the version of the schema, and bulk inserts."""
