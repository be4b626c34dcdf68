"""What runs inside the sandbox where a project builds itself, and where its tests run."""
