"""Judge candidates: other sources for kernels of a dataset, such as models' answers."""
