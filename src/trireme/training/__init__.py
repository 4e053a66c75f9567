"""Learning: one readable file per algorithm, on the networks, replay and self-play beside it."""
