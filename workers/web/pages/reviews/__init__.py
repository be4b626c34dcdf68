"""Pages of reviews: which are next, one of them, and its kernel run again."""
