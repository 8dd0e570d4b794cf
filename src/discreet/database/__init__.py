"""Databases that discreet keeps things in: an SQLite file, or PostgreSQL by its URL."""

from discreet.database.form import Database, Form, Run, Session
from discreet.database.open import open_database

__all__ = ["Database", "Form", "Run", "Session", "open_database"]
