"""Blob stores: on local disks and in S3 buckets."""
