"""Port rules, one plugin a module; `crawler.port.rewrite` applies them by their `order`."""
