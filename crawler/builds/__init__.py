"""How projects are compiled: one file a build system, merged into one compile database."""
