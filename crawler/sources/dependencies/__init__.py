"""What a project takes from other repositories, and declares: fetched as far as it is included."""
