"""How a hierarchy is built, checked and searched."""
