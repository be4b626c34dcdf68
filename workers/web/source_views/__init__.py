"""Sources of strangers as lines of HTML: highlighted, beside their port, never as markup."""
