"""Exporters, one format a module."""
