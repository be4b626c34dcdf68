"""Room on disk for a stage, and snapshots of checkouts."""
