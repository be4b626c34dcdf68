"""Crawls on one machine, without a broker."""
