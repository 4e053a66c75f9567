// The puzzles: one of the day for each game, the next by one's rating, and a list of all.
import { useEffect, useState } from "preact/hooks";
import { titleOf } from "../games";
import { gamesStore } from "../games/catalogue";
import { listPuzzles } from "../rest";
import type { Route } from "../route";
import { useStore } from "../store";
import { Check, Cross, Play } from "../ui/icons";
import { NotFound } from "../ui/not-found";
import { RulesButton } from "../ui/rules";
import type { PuzzleEntry, PuzzleList } from "../wire";
import { startNextPuzzle, startPuzzle } from "./begin";
import { progress, progressIn } from "./rating";

export function PuzzlesPage({ here }: { here: Route }) {
  const game = here.page === "puzzles" ? here.game : null;
  const games = useStore(gamesStore);
  if (games.length === 0) return <p class="soft loading">Loading…</p>;
  const offered = games.filter((g) => g.puzzles > 0).map((g) => g.name);
  if (game !== null && !offered.includes(game)) return <NotFound title={`There are no puzzles of ${game}`} />;
  return game === null ? <Overview games={offered} /> : <GamePuzzles key={game} game={game} />;
}

function Overview({ games }: { games: string[] }) {
  return (
    <div class="puzzles stack">
      <h1>Puzzles</h1>
      <p class="soft">One puzzle of the day for each game, the same for everybody, and many more by your rating.</p>
      <ul class="game-entries">
        {games.map((game) => (
          <GameEntry key={game} game={game} />
        ))}
      </ul>
    </div>
  );
}

function GameEntry({ game }: { game: string }) {
  return (
    <li class="panel stack">
      <h2>{titleOf(game)}</h2>
      <OwnRating game={game} />
      <Starts game={game} list={usePuzzles(game)} />
      <a href={`/puzzles/${game}`}>
        All puzzles<span class="visually-hidden"> of {titleOf(game)}</span>
      </a>
    </li>
  );
}

function GamePuzzles({ game }: { game: string }) {
  const list = usePuzzles(game);
  return (
    <div class="puzzles stack">
      <header class="row spread">
        <h1>Puzzles of {titleOf(game)}</h1>
        <RulesButton game={game} settings={{}} />
      </header>
      <OwnRating game={game} />
      <Starts game={game} list={list} />
      <h2>All puzzles, easiest first</h2>
      {list ? <AllPuzzles game={game} puzzles={list.puzzles} /> : <p class="soft">Loading…</p>}
    </div>
  );
}

function OwnRating({ game }: { game: string }) {
  const own = progressIn(useStore(progress), game);
  const tried = Object.values(own.tried);
  return (
    <p class="small soft">
      Your rating: <strong>{Math.round(own.rating)}</strong>
      {tried.length > 0 && `, ${tried.filter(Boolean).length} of ${tried.length} solved`}
    </p>
  );
}

function Starts({ game, list }: { game: string; list: PuzzleList | null }) {
  const own = progressIn(useStore(progress), game);
  return (
    <div class="row">
      <button type="button" class="button primary" disabled={!list} onClick={() => list && void startPuzzle(game, list.daily)}>
        <Play /> {list && list.daily in own.tried ? "Today's puzzle again" : "Today's puzzle"}
        <span class="visually-hidden"> of {titleOf(game)}</span>
      </button>
      <button type="button" class="button" disabled={!list} onClick={() => void startNextPuzzle(game)}>
        Next puzzle<span class="visually-hidden"> of {titleOf(game)}</span>
      </button>
    </div>
  );
}

/** Puzzles shown at once. */
const PAGE = 60;

function AllPuzzles({ game, puzzles }: { game: string; puzzles: PuzzleEntry[] }) {
  const own = progressIn(useStore(progress), game);
  const near = puzzles.findIndex((p) => p.rating >= own.rating - 100);
  const [first, setFirst] = useState(Math.max(0, Math.min(near, puzzles.length - PAGE)));
  const shown = puzzles.slice(first, first + PAGE);
  return (
    <>
      <ol class="puzzle-list" start={first + 1}>
        {shown.map((p) => (
          <li key={p.id}>
            <button type="button" class="button small" onClick={() => void startPuzzle(game, p.id)}>
              {p.id in own.tried && (own.tried[p.id] ? <Check /> : <Cross />)} {p.title}
              <span class="soft small"> rated {p.rating}</span>
              {p.id in own.tried && <span class="visually-hidden">, {own.tried[p.id] ? "solved" : "not solved"}</span>}
            </button>
          </li>
        ))}
      </ol>
      <div class="row">
        <button type="button" class="button small" disabled={first === 0} onClick={() => setFirst(Math.max(0, first - PAGE))}>
          Easier
        </button>
        <button type="button" class="button small" disabled={first + PAGE >= puzzles.length} onClick={() => setFirst(first + PAGE)}>
          Harder
        </button>
      </div>
    </>
  );
}

function usePuzzles(game: string): PuzzleList | null {
  const [list, setList] = useState<PuzzleList | null>(null);
  useEffect(() => {
    let wanted = true;
    listPuzzles(game).then(
      (found) => wanted && setList(found),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [game]);
  return list;
}
