"""Cases of a kernel: search its ordinary case, draw the others, run and judge them."""
