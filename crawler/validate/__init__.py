"""Whether a unit compiles, runs and is right: one file a validator."""
