"""Independent places that golden outputs are held against: the project's own implementation for a CPU."""
