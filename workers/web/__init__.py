"""The page to watch, browse and judge: one server over the same ports as the command line."""
