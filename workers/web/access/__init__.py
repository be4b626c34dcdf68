"""Who asks: sessions, tokens, and what keeps strangers from acting in their name."""
