"""The language of BUILD files, walked without running anything."""
