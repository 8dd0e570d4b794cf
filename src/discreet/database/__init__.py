"""Databases that discreet keeps things in: an SQLite file, or PostgreSQL by its URL."""

from discreet.database.session import Database, Form, Run, Session, open_database

__all__ = ["Database", "Form", "Run", "Session", "open_database"]
