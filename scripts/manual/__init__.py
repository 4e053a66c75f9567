"""Builds the manual: the pages of `docs/`, references generated from the code, one static site."""
