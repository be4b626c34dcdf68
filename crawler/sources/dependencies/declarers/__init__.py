"""Plugins: ways of declaring that a project needs another repository, a file each."""
