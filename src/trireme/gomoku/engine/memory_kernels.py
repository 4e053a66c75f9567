"""Where everything lies in the engine's arrays: a map of plain numbers for the kernels.

The engine's position is one `int32[WORDS]` array, because a recursive kernel hands its arguments
down at every node and one array costs less than twenty. Points lie on a grid 32 wide with a margin
of five walls, so that a step off the board always meets a wall; a margin serves both the end of
one row and the beginning of the next.
"""

WIDTH = 32
MARGIN = 5
MOST = 26 * 26
"""The points of the largest board."""
CELLS = WIDTH * 36 + 2 * MARGIN
EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3

BOARD = 0
"""What stands on each point."""
KEY = BOARD + CELLS
"""For each of four directions and each point: the ten points around it in that line, two bits
each, nearest the middle."""
SHAPES = KEY + 4 * CELLS
"""For each point, a byte a direction: the shape that a black stone would make there in the low
half, a white one in the high half."""
WORTH = SHAPES + CELLS
"""For each colour and point: the kind of move that a stone there would be, and its score above."""
COUNT = WORTH + 2 * CELLS
"""For each colour: how many empty points are of each of 8 kinds."""
TOTAL = COUNT + 16
"""For each colour: the sum of scores over empty points."""
POINTS = TOTAL + 2
"""The points of the board, nearest the centre first; their number is in `AREA`."""
AREA = POINTS + MOST
FORCING = AREA + 1
"""For each colour: the empty points where it would make an open three or more, in no order."""
FORCINGS = FORCING + 2 * MOST
"""For each colour: how many they are."""
PLACE = FORCINGS + 2
"""For each colour and point: its place among them."""
PLACED = PLACE + 2 * CELLS
"""How many stones are on the board."""
MOVES = PLACED + 1
"""For each ply, room for the moves of a node and their ordering scores."""
ROOM = 128
DEEPEST = 240
LINE = MOVES + 2 * ROOM * DEEPEST
"""For each ply, the sequence that wins or the best line from there, LONGEST moves each."""
LONGEST = 64
LINE_LENGTH = LINE + DEEPEST * LONGEST
KILLERS = LINE_LENGTH + DEEPEST
HISTORY = KILLERS + 2 * DEEPEST
SEEN = HISTORY + 2 * CELLS
"""A stamp for each point: which set of points it was last put into."""
STAMP = SEEN + CELLS
JITTER = STAMP + 1
"""For each point, a small bonus at the root that varies the choice among equals."""
WORDS = JITTER + CELLS

# The control words, an `int64[CONTROLS]` array that the outside may write while a kernel runs.
HASH, NODES, LIMIT, THREAT_LIMIT, STOP, CUT, AGE = range(7)
LEAF_FOURS, INNER_FOURS, BREADTH, WIDENING, QUIESCENCE = range(7, 12)
"""How many nodes a search for fours may take at a leaf and above; how many moves a node tries:
BREADTH, and WIDENING more for every ply of depth; how many plies below depth 0 open fours are still
defended against."""
CONTROLS = 12

# The shapes that one stone makes in one line, weakest first.
NOTHING, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(10)

# The kinds of moves, by all four lines together.
QUIET, SHAPING, MAKES_THREE, MAKES_FOUR, TWO_THREES, FOUR_AND_THREE, WINS_NEXT, WINS = range(8)

PROVEN = 20_000
"""Values from here on are proofs: WIN less the plies to the five."""
WIN = 30_000
LIKELY = 10_000
"""The value of a position where every move that was looked at loses, but not all were."""
