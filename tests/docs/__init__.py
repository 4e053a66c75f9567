"""Tests of the manual: its code blocks, its site, its tables of files."""
