"""Runs of a built program, and what they show of its launches."""
