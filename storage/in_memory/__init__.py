"""In-memory blob store and kernel index, for tests and as references of the stored ones."""
