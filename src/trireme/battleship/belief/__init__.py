"""The belief about a hidden fleet: the evidence, the exact posterior, samples of it."""
