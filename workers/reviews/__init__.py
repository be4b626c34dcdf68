"""What the command line and the page share of reviews."""
