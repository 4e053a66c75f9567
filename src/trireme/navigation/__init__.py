"""Battle Navigation: two captains plan in secret, then the sea resolves both plans together."""

from trireme.core.registry import Slice

SLICE = Slice(
    summary="simultaneous plans: both captains order four phases in secret, then they run together",
    game="trireme.navigation.rules:Navigation",
    text="trireme.navigation.show.draw:text",
    picture="trireme.navigation.show.picture:sea_svg",
    agents={
        "random": "trireme.core.agents:Random",
        "moored": "trireme.navigation.agents.moored:Moored",
        "greedy": "trireme.navigation.agents.greedy:Greedy",
        "planner": "trireme.navigation.agents.planner:Planner",
        "nash-quick": "trireme.navigation.agents.nash:NashQuick",
        "nash": "trireme.navigation.agents.nash:Nash",
        "adaptive": "trireme.navigation.agents.adaptive:Adaptive",
    },
    opponent="nash",
    references=("random", "greedy", "planner"),
    terminal="trireme.navigation.show.terminal:NavigationTerminal",
    encoder="trireme.navigation.encode:encoder",
    scene="trireme.navigation.show.scene:scene",
    preview="trireme.navigation.show.scene:preview",
    starts="trireme.navigation.starts:starts",
    opening_move="trireme.navigation.agents.greedy:opening_move",
    insight="trireme.navigation.show.insight:insight",
    maps="trireme.navigation.map_library:SeaMapLibrary",
    variants={
        "equal": {"ships": ("war_brig", "war_brig")},
        "advance": {"turns": "advance"},
        "scarce": {"ammo_per_turn": 4},
        "ramming": {"ram_damage": 1},
        "2v2": {"ships": ("cutter", "cutter", "war_brig", "war_brig")},
        "3v3": {"ships": ("dhow", "dhow", "cutter", "cutter", "war_brig", "war_brig")},
    },
    prose="trireme.navigation.show.prose:prose",
    notation=(
        "A plan is two characters for each phase, a move and an action, joined: FpL-Rs1-h.\n"
        "Moves: F forward, L turn left, R turn right, - none. Actions: p cannons to port, "
        "s cannons to starboard, g grapple to port, h grapple to starboard, - none.\n"
        "A digit after p or s fires fewer shots than the ship has."
    ),
    rulebook="trireme.navigation.show.rulebook:rulebook",
    review="trireme.navigation.review:NavigationReviewer",
    opponents="trireme.navigation:opponents.json",
    lessons="trireme.navigation:lessons.json",
    positions="trireme.navigation.show.positions:marked_boards",
    puzzles="trireme.navigation:puzzles.jsonl.gz",
    puzzle_maker="trireme.navigation.puzzles:NavigationPuzzles",
    goals="trireme.navigation.show.goals:goal_met",
    own_page=True,
)
