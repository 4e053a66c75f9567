"""Training: `gomoku_dqn`, `battleship_heatmap` and `battleship_rl`, a file per algorithm, on shared
runs, settings and logs."""
