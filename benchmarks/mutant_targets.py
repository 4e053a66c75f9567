"""Which fast tests must notice a change in which file: for `mutants.py`."""

from __future__ import annotations

STATISTICS = ("tests/arena/test_references.py", "tests/arena/test_statistics.py")
RECORDS = ("tests/core/test_record.py", "tests/core/test_play.py", "tests/core/test_notes.py")
ENGINE = ("tests/gomoku/test_engine.py",)
LINE_TABLES = ("tests/gomoku/test_line_tables.py",)
NAVIGATION = (
    "tests/navigation/test_cases.py",
    "tests/navigation/test_golden.py",
    "tests/navigation/test_maps.py::test_bad_settings_are_refused",
    "tests/navigation/test_maps.py::test_an_unknown_way_to_turn_is_refused",
)
SHIPPED_PUZZLES = tuple(
    f"tests/core/test_puzzles.py::{name}"
    for name in (
        "test_all_three_games_bring_puzzles",
        "test_a_thousand_different_puzzles_ship_in_a_small_file",
        "test_the_shared_text_says_the_result_and_not_the_solution",
        "test_unknown_ids_and_games_without_puzzles_are_refused",
        "test_garbage_is_no_file_of_puzzles",
        "test_a_game_without_a_maker_is_refused",
    )
)
MADE_PUZZLES = tuple(
    f"tests/core/test_puzzles.py::{name}"
    for name in (
        "test_a_sample_of_the_shipped_puzzles_is_right[battleship]",
        "test_a_sample_of_the_shipped_puzzles_is_right[navigation]",
        "test_a_solution_solves_its_puzzle_and_another_first_move_does_not",
        "test_a_puzzle_with_another_solution_or_goal_is_refused[battleship]",
        "test_a_puzzle_with_another_solution_or_goal_is_refused[navigation]",
        "test_the_same_seed_makes_the_same_puzzles_on_every_machine",
    )
)
POSTGRES_TESTS = tuple(
    f"tests/server/test_leases.py::test_{name}"
    for name in (
        "a_room_has_one_owner_who_is_named_to_others",
        "who_asks_next_takes_over_from_a_dead_owner",
        "an_owner_who_stops_gives_its_rooms_up",
        "a_lease_outlives_a_broken_connection",
        "postgresql_ends_the_session_of_a_server_that_hangs",
        "renewing_removes_the_dead_and_reads_what_the_living_publish",
        "a_server_that_registers_again_or_stops_leaves_neither_lock_nor_row",
        "a_room_that_is_not_stored_yet_belongs_to_whoever_asks",
        "a_lock_that_somebody_else_has_taken_is_a_lost_lease",
        "renewing_waits_for_no_transaction_for_long",
        "a_takeover_waits_for_the_transactions_of_the_last_owner",
    )
)
"""These get a database server."""
TABLE = ("tests/server/test_requests.py", "tests/server/test_table.py")

TARGETS: dict[str, tuple[str, ...]] = {
    "core/intervals.py": STATISTICS,
    "core/record.py": RECORDS,
    "core/play.py": (
        *RECORDS[::-1],
        "tests/core/test_action_input.py",
        "tests/core/test_notebook.py",
    ),
    "core/session.py": (
        *RECORDS[::-1],
        "tests/core/test_action_input.py",
        "tests/core/test_notebook.py",
    ),
    "core/forfeit.py": (
        *RECORDS[::-1],
        "tests/core/test_action_input.py",
        "tests/core/test_notebook.py",
    ),
    "core/registry.py": ("tests/core/test_registry.py", "tests/plugins/test_discovery.py"),
    "core/action_input.py": ("tests/core/test_action_input.py",),
    "core/options.py": ("tests/core/test_registry.py",),
    "core/spec.py": ("tests/core/test_registry.py", "tests/cli/test_agent_specs.py"),
    "core/seeding.py": ("tests/core/test_seeding.py",),
    "core/simulation.py": ("tests/core/test_simulation.py",),
    "core/board.py": ("tests/core/test_board.py", "tests/gomoku/test_rules.py"),
    "battleship/rules.py": ("tests/battleship/test_rules.py", "tests/battleship/test_variants.py"),
    "battleship/fleets.py": ("tests/battleship/test_placing.py", "tests/battleship/test_rules.py"),
    "battleship/board.py": ("tests/battleship/test_rules.py", "tests/battleship/test_placing.py"),
    "battleship/notation.py": (
        "tests/battleship/test_rules.py",
        "tests/battleship/test_placing.py",
    ),
    "battleship/shots.py": ("tests/battleship/test_rules.py", "tests/battleship/test_variants.py"),
    "battleship/belief/constraints.py": (
        "tests/battleship/test_determinization.py",
        "tests/battleship/test_belief.py::test_a_fleet_explains_the_answers_that_it_gives",
    ),
    "battleship/belief/determinization.py": ("tests/battleship/test_determinization.py",),
    "gomoku/rules.py": ("tests/gomoku/test_rules.py", "tests/gomoku/test_counts.py"),
    "gomoku/formats.py": ("tests/gomoku/test_formats.py",),
    "gomoku/swap2.py": ("tests/gomoku/test_swap2.py",),
    "gomoku/engine/iterative_deepening.py": ENGINE,
    "gomoku/engine/analysis.py": ENGINE,
    "gomoku/engine/engine.py": ENGINE,
    "gomoku/proof_checker.py": ("tests/gomoku/test_proofs.py",),
    "gomoku/engine/patterns.py": ("tests/gomoku/test_patterns.py",),
    "gomoku/engine/orientation.py": ("tests/gomoku/test_symmetry.py",),
    "gomoku/engine/line_windows.py": LINE_TABLES,
    "gomoku/engine/shape_tables.py": LINE_TABLES,
    "gomoku/engine/table_network.py": ("tests/gomoku/test_table_network.py",),
    "gomoku/engine/evaluation_weights.py": ("tests/training/test_evaluation_fit.py",),
    "navigation/rules.py": NAVIGATION,
    "navigation/duel.py": ("tests/navigation/test_several_ships.py",),
    "navigation/plans.py": ("tests/navigation/test_plans.py",),
    "navigation/geometry.py": NAVIGATION,
    "navigation/ships.py": NAVIGATION,
    "navigation/maps.py": ("tests/navigation/test_maps.py",),
    "navigation/phase_log.py": ("tests/navigation/test_phase_log.py",),
    "navigation/search/matrix_game.py": (
        "tests/navigation/test_exploitability.py::test_known_matrix_games_have_their_values",
        "tests/navigation/test_exploitability.py::test_optimal_mixtures_leave_nothing_to_gain",
    ),
    "navigation/search/double_oracle.py": (
        "tests/navigation/test_search.py",
        "tests/navigation/test_safe_exploitation.py::"
        "test_an_action_is_pointless_if_it_could_not_connect_whatever_the_other_did",
        "tests/navigation/test_safe_exploitation.py::"
        "test_a_grapple_connects_on_the_side_of_the_neighbour",
        "tests/navigation/test_safe_exploitation.py::"
        "test_mistakes_fill_the_budget_by_what_they_cost_and_best_play_does_not",
        "tests/navigation/test_safe_exploitation.py::"
        "test_values_of_a_response_are_shown_without_its_contempt",
    ),
    "arena/schedule.py": (
        "tests/arena/test_schedule.py",
        "tests/arena/test_conditions.py::"
        "test_rounds_play_the_openings_of_a_file_in_order_and_begin_again",
        "tests/arena/test_conditions.py::test_new_conditions_change_the_hash_and_old_matches_keep_theirs",
    ),
    "arena/match.py": (
        "tests/arena/test_schedule.py",
        "tests/arena/test_conditions.py::test_clocks_are_read_and_refused",
    ),
    "arena/outcome.py": ("tests/arena/test_outcomes.py",),
    "arena/history.py": ("tests/arena/test_history.py",),
    "arena/standing.py": ("tests/arena/test_statistics.py", "tests/arena/test_history.py"),
    "arena/statistics/bootstrap.py": STATISTICS,
    "arena/statistics/ratings.py": STATISTICS,
    "arena/statistics/sprt.py": STATISTICS,
    "arena/statistics/comparisons.py": STATISTICS[1:],
    "envs/battleship.py": ("tests/envs/test_battleship_env.py",),
    "envs/vector.py": ("tests/envs/test_battleship_vector.py",),
    "envs/battleship_vector.py": ("tests/envs/test_battleship_vector.py",),
    "envs/duel_vector.py": ("tests/envs/test_duel_vector.py",),
    "envs/gomoku_vector.py": ("tests/envs/test_gomoku_vector.py",),
    "envs/navigation_vector.py": ("tests/envs/test_navigation_vector.py",),
    "envs/opponent.py": ("tests/envs/test_opponent.py",),
    "envs/zoo_episode.py": ("tests/envs/test_zoo.py",),
    "server/rooms/table.py": TABLE,
    "server/rooms/views.py": TABLE,
    "server/rooms/recording.py": TABLE,
    "training/gomoku_games.py": ("tests/training/test_gomoku_games.py",),
    "training/gumbel_search.py": ("tests/training/test_zero_search.py",),
    "training/replay.py": ("tests/training/test_replay.py",),
    "core/review.py": ("tests/core/test_review.py",),
    "core/puzzles.py": ("tests/core/test_puzzle_files.py", *SHIPPED_PUZZLES),
    "core/lessons.py": ("tests/core/test_lessons.py",),
    "core/move_report.py": ("tests/core/test_move_report.py",),
    "core/positions.py": ("tests/core/test_positions.py",),
    "core/opponents.py": ("tests/core/test_opponents.py",),
    "core/monte_carlo.py": ("tests/core/test_monte_carlo.py",),
    "core/process_agent.py": (
        "tests/arena/test_process_agent.py",
        "tests/arena/test_protocol_two.py",
    ),
    "battleship/endgame.py": (
        "tests/battleship/test_endgames.py",
        "tests/core/test_puzzles.py::test_the_same_seed_makes_the_same_puzzles_on_every_machine",
    ),
    "battleship/puzzles.py": ("tests/battleship/test_endgames.py", *MADE_PUZZLES),
    "battleship/review.py": ("tests/battleship/test_review.py",),
    "gomoku/review.py": ("tests/gomoku/test_review_values.py", "tests/gomoku/test_review.py"),
    "gomoku/puzzles.py": ("tests/gomoku/test_forced_puzzles.py",),
    "gomoku/adjudication.py": ("tests/arena/test_conditions.py",),
    "navigation/puzzles.py": ("tests/navigation/test_puzzle_plans.py", *MADE_PUZZLES),
    "navigation/review.py": ("tests/navigation/test_review.py",),
    "arena/pairings.py": ("tests/arena/test_formats.py",),
    "arena/adjudication.py": (
        "tests/arena/test_conditions.py",
        "tests/arena/test_adjudication.py",
    ),
    "arena/match_clock.py": ("tests/arena/test_conditions.py",),
    "arena/opening_file.py": ("tests/arena/test_conditions.py",),
    "arena/league.py": ("tests/arena/test_league.py",),
    "arena/evaluation.py": ("tests/arena/test_evaluation.py",),
    "arena/statistics/payoff.py": ("tests/arena/test_payoff.py",),
    "arena/statistics/normalized_elo.py": ("tests/arena/test_conditions.py",),
    "server/limits.py": (
        "tests/server/test_limits.py",
        "tests/server/test_trust.py::test_each_address_and_resource_has_a_quota_of_its_own",
    ),
    "server/storage/leases.py": POSTGRES_TESTS,
    "server/checking.py": ("tests/server/test_checks.py",),
    "server/workers/checks.py": ("tests/server/test_checks.py",),
    "server/workers/fair_queue.py": ("tests/server/test_limits.py",),
    "bench/results.py": ("tests/bench/test_bench.py",),
    "bench/scoring.py": ("tests/bench/test_bench.py",),
    "bench/tasks.py": ("tests/bench/test_bench.py",),
    "llm/agent.py": ("tests/llm/test_agent.py",),
    "llm/answers.py": ("tests/llm/test_agent.py",),
    "llm/candidates.py": ("tests/llm/test_candidates.py",),
    "llm/client.py": ("tests/llm/test_agent.py",),
    "llm/prompting.py": ("tests/llm/test_agent.py",),
    "llm/providers.py": ("tests/llm/test_agent.py",),
}
"""Files below `src/trireme`, and the tests that must notice a change in them."""

KERNELS: dict[str, tuple[str, ...]] = {
    "battleship/kernels.py": ("tests/battleship/test_kernels.py",),
    "gomoku/kernels.py": ("tests/gomoku/test_kernels.py",),
    "navigation/kernels.py": ("tests/navigation/test_kernels.py",),
}
"""Kernels with a plain twin. Each mutant is compiled, which takes up to a minute: try a handful."""
