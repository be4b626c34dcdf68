"""Tasks from their payloads, and the queues that serve them."""
