"""Crawls on a cluster: Celery workers, the dispatcher and metrics."""
