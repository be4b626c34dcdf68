"""Everything that runs: the pipeline, the local executor, the command line."""
