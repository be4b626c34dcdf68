"""Trial launches and the search for buffer contents."""
