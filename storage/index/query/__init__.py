"""The query language: parsed once, evaluated in SQL or on rows in memory."""
