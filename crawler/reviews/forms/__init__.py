"""**Plugins**: forms in which reviews, or what is to be reviewed, go to other programs and back."""
