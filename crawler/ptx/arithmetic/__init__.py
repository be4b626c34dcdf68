"""PTX instructions that compute integers, by families."""
