"""What runs inside the sandbox, in the Python that has PyTorch: nothing here imports our own."""
