"""Sources of repositories, one module each."""
