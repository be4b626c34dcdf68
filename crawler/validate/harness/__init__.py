"""Tests that a person can build and run: a kernel unit with its host code, its cases and their golden outputs."""
