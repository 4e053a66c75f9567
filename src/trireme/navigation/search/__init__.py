"""Searching simultaneous plans: matrix games, regret matching, exploitability."""
