// Battle Navigation for the shell.
import type { NavigationState } from "../../wire";
import { prefs, setPrefs } from "../../prefs";
import { useStore } from "../../store";
import { Cube } from "../../ui/icons";
import type { GameModule, PictureProps } from "../module";
import { Arena } from "./arena";
import { Arena3D } from "./later3d";
import { NavigationMark } from "./mark";
import { NavigationMini } from "./mini";
import { NavigationPlay, type NavigationScene } from "./play";
import { planWords } from "./plan";
import { momentAt, stillMoment } from "./playback";
import { NavigationPoster, NavigationSetup } from "./setup";
import { Thought } from "./thought";
import { phaseStory } from "./words";

function Picture({ view, before, phase, progress, story, scene, seat }: PictureProps) {
  const { map, ships } = scene as unknown as NavigationScene;
  const { view3d } = useStore(prefs);
  const now = view as NavigationState;
  const hp = ((before ?? view) as NavigationState).ships.map((s) => s.hp);
  const at = phase === null ? null : phase - 1 + progress;
  const still = at === null || at >= now.log.length;
  const moment = still ? stillMoment(now.ships) : momentAt(now.log, Math.min(at, phase! - 0.001), hp);
  const arena = { map, ships, moment, ghost: null, ghostSeats: [], ranges: true, playing: !still, seat, label: map.name };
  return (
    <>
      <div class="arena-bar row spread">
        <span class="small">
          Turn {now.turn}
          {phase !== null && <strong> · phase {phase}</strong>}
        </span>
        <button type="button" class="button small" aria-pressed={view3d} onClick={() => setPrefs({ view3d: !view3d })}>
          <Cube /> 3D
        </button>
      </div>
      {view3d ? <Arena3D {...arena} /> : <Arena {...arena} />}
      <p class="events small">{phase === null ? "\u00a0" : phaseStory(story, phase).join(" ")}</p>
    </>
  );
}

export const navigation: GameModule = {
  title: "Battle Navigation",
  pitch: "Both players plan four phases in secret; then both plans are carried out at once.",
  hard: "Simultaneous moves",
  Mini: NavigationMini,
  Mark: NavigationMark,
  Play: NavigationPlay,
  Picture,
  Thought,
  inWords: planWords,
  thinker: "nash",
  Setup: NavigationSetup,
  Poster: NavigationPoster,
  sides: true,
  pace: 6,
  quick: { variant: "equal", clock: "none" }, // nobody waits, and newcomers read the rules first
};
