"""The files of a release, read as if somebody had made them to do harm."""
