"""The local web app: parse, call, show. No logic of its own.

Everything it makes lies in one folder of the user's: policies and releases, and beside them what
the app itself keeps, under ``.discreet``.
"""
