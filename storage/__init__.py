"""Blobs and SQL behind two ports: `BlobStore` and `KernelIndex`, and the ledger of tasks."""
