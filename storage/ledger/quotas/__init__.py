"""Quotas: what tasks use, charging it to their crawls, and holding crawls that used too much."""
