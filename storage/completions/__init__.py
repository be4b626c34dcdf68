"""What models were asked, and what came of it."""
