"""Persistent storage: content-addressed blobs, the ledger of tasks and the index of kernels."""
