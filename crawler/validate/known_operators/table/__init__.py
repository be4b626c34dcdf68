"""The table of known operators, by topic; each module holds `OPERATORS`."""
