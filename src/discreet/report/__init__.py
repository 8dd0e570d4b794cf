"""One page that says what a release protects, what it does not, and what it lost."""
