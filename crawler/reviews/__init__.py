"""Reviews by people: what one may say, how far several agree, and forms of other programs."""
