"""Complete with a model what rules leave open, from a store and with this machine's judge."""
