// Battle Navigation for the shell.
import type { NavigationState } from "../../wire";
import type { GameModule, PictureProps } from "../module";
import { Arena } from "./arena";
import { NavigationMini } from "./mini";
import { NavigationPlay, type NavigationScene } from "./play";
import { stillMoment } from "./playback";
import { NavigationSetup } from "./setup";
import { Thought } from "./thought";

function Picture({ view, scene, seat }: PictureProps) {
  const { map, ships } = scene as unknown as NavigationScene;
  const moment = stillMoment((view as NavigationState).ships);
  return <Arena map={map} ships={ships} moment={moment} ghost={null} ghostSeats={[]} ranges seat={seat} label={map.name} />;
}

export const navigation: GameModule = {
  title: "Battle Navigation",
  pitch: "Both captains plan four phases in secret, then the sea resolves them.",
  hard: "Simultaneous moves",
  Mini: NavigationMini,
  Play: NavigationPlay,
  Picture,
  Thought,
  Setup: NavigationSetup,
  quick: {},
};
