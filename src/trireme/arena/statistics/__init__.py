"""The arithmetic of claims: intervals, ratings, sequential tests, comparisons."""
