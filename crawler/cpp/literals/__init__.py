"""Texts of string and character literals, and where each character stands in its file."""
