"""The pages, one a file: what each shows, and its address."""
