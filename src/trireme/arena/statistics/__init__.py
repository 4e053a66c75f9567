"""Statistics: bootstrap intervals, ratings, sequential tests, paired comparisons."""
