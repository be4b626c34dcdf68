"""The ledger of tasks: SQL is the truth, whatever carries the messages."""
