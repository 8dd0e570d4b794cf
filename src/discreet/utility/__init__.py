"""Judges of loss: what a release no longer tells, in cells, in counts and in what can be learnt."""

from discreet.utility.changes import CellsChanged, cells_changed

__all__ = ["CellsChanged", "cells_changed"]
