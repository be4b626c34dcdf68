"""From what a runner reported to verdicts and measurements."""
