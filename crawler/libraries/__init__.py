"""Header libraries that are installed here, of the same standing as our shims of them."""
