"""What the vendors' own tools say of the GPUs of a machine."""
