"""What a compiler's command line says, in whatever compiler's spelling."""
