"""Settings, and the storage that they name."""
