"""What becomes of records on their way out: licences, clusters, exports; one file an exporter."""
