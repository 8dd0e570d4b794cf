"""What is published: data, the guarantee it comes with, its certificate, and the ledger."""
