"""Prompts as files: what a model is told, to be read and changed."""
