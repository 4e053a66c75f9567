"""Training: `gomoku_dqn`, `gomoku_zero`, `battleship_heatmap`, `battleship_rl`: a file per algorithm, on
shared runs, settings and logs."""
