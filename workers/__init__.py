"""Everything that runs: command line, local and cluster execution, and the stages of the
pipeline.
"""
