"""Tables, transactions and hierarchies, and how they are read and written."""
