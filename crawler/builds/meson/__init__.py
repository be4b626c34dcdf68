"""Run Meson over untrusted projects."""

from pathlib import Path
from typing import Final

PROGRAM: Final = Path(__file__).with_name("lenient_setup.py")
"""Runs inside the sandbox by its path: it imports Meson itself, which no other module does."""
