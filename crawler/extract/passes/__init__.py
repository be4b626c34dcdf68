"""The parses of one translation unit, and what they show together."""
