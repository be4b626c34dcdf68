"""Recall against the true list of kernels of the corpus."""
