"""Training: a file per algorithm (`gomoku_dqn`, `gomoku_zero`, `battleship_heatmap`,
`battleship_rl`), on shared runs, settings and logs."""
