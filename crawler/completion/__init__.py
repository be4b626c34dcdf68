"""Ask a model where rules end: bounded, recorded, and never believed without a check."""
