"""Build systems, one module each; `--strategy` takes the module's name."""
