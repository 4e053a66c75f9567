// What the shell asks of every game: its words, its pictures, its table, its settings.
import type { ComponentType } from "preact";
import type { Connection } from "../room/socket";
import type { Room } from "../room/state";
import type { GameInfo, ViewPicture } from "../wire";

export interface PlayProps {
  room: Room;
  connection: Connection;
  game: GameInfo | undefined;
}

export interface PictureProps {
  /** The position as one viewer saw it, the one before, and what stands still. */
  view: unknown;
  before: unknown;
  /** The same position as a picture, for games that have no page of their own. */
  picture: ViewPicture | null;
  scene: Record<string, unknown>;
  settings: Record<string, unknown>;
  /** The phase just played, from 1, and how far its motion has come, 0 to 1. */
  phase: number | null;
  progress: number;
  /** What the move that led here did, in words. */
  story: readonly string[];
  seat: number | null;
  seatNames: string[];
  /** What was thought of this position, where it was asked. */
  insight: Record<string, unknown> | null;
  /** What the next move was, to compare it with the thought. */
  next: string | null;
}

export interface SetupProps {
  game: GameInfo;
  settings: Record<string, unknown>;
  change: (settings: Record<string, unknown>) => void;
}

export interface GameModule {
  title: string;
  pitch: string;
  hard: string;
  /** A small picture for the home page. */
  Mini: ComponentType;
  /** The game at play: board, panel and all. */
  Play: ComponentType<PlayProps>;
  /** A position of a replay. */
  Picture: ComponentType<PictureProps>;
  /** One cell of a figure in the rules, which stands for a character. */
  Mark?: ComponentType<{ mark: string; x: number; y: number }>;
  /** What the agent thought, in words and numbers. */
  Thought: ComponentType<{ insight: Record<string, unknown>; next: string | null }>;
  /** An action as people say it, for lists of moves. */
  inWords?: (action: string) => string;
  /** Who thinks, where others may be heard too. */
  thinker: string;
  /** Settings of its own in the lobby. */
  Setup: ComponentType<SetupProps>;
  /** What the lobby shows large, where settings change how the game looks. */
  Poster?: ComponentType<{ game: string; settings: Record<string, unknown> }>;
  /** The result of somebody who plays alone, such as `41 shots`. */
  score?: (value: number) => string;
  /** The number of an insight that a replay draws as a curve; else the chances of the first seat. */
  curve?: { field: string; label: string; unit: string };
  /** Whether even seats fight odd ones, so that agents are chosen by side. */
  sides?: boolean;
  /** Seconds between the moves of programs that are being watched. */
  pace: number;
  /** The request for one click's game against the agent. */
  quick: { variant?: string; clock?: "none" };
}
