"""Units whose headers are missing: search, install, include, stub or assume them."""
