"""Validators, one compiler a module."""
