"""Verbs about reviews by people."""
