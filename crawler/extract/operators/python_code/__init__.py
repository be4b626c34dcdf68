"""What a project's Python code says of its operators."""
