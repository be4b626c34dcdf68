"""The stages of the pipeline, one module each; `run` performs a claimed task."""
