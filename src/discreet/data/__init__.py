"""Tables, transactions and hierarchies, from files and frames and back."""
