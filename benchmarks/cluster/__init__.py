"""Benchmarks of the ledger, the storage and whole clusters."""
