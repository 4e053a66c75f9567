// REST: one function for each request; a refusal becomes a `Refused` with its stable code.
import type {
  AnalysisResponse,
  AnalysisRequest,
  SettingsChecked,
  CheckSettings,
  GameInfo,
  GameRules,
  Invitation,
  JoinRoom,
  MapChecked,
  NavigationSeaMap,
  NewRoom,
  Preparation,
  PuzzleList,
  Rating,
  RecentGame,
  ReviewProgress,
  ReviewRequest,
  GameReplay,
  RoomInfo,
  SeatGrant,
} from "./wire";

export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Seconds after which the same request may succeed; null: no need to wait, or no use. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

interface Sent {
  body?: unknown;
  token?: string | null;
}

/** How often a request is sent to servers that stop: another one answers, or the same one again soon. */
const TRIES = 6;

async function ask(path: string, options: Sent = {}): Promise<Response> {
  for (let tries = 1; ; tries++) {
    try {
      return await askOnce(path, options);
    } catch (refused) {
      if (!(refused instanceof Refused) || refused.code !== "shutting_down" || tries === TRIES) throw refused;
      await new Promise((resolve) => setTimeout(resolve, 1000 * (refused.retryAfter ?? 1)));
    }
  }
}

async function askOnce(path: string, options: Sent): Promise<Response> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.token) headers.Authorization = `Bearer ${options.token}`;
  const init: RequestInit = { headers, method: options.body === undefined ? "GET" : "POST" };
  if (options.body !== undefined) init.body = JSON.stringify(options.body);
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Refused("offline", "The server can't be reached.");
  }
  if (answer.ok) return answer;
  const fault = (await answer.json().catch(() => null)) as Fault | null;
  const code = fault?.code ?? "internal";
  const text = fault?.message ?? `The server answered with status ${answer.status}.`;
  throw new Refused(code, code === "too_fast" ? kindly(text) : text, fault?.retry_after ?? null);
}

interface Fault {
  code?: string;
  message?: string;
  retry_after?: number | null;
}

/** A quota is nobody's fault: the server is shared, and says when to try again. */
export function kindly(message: string): string {
  return `This server is shared by many, and takes a little at a time: ${message}.`;
}

async function json<T>(path: string, options: Sent = {}) {
  return (await (await ask(path, options)).json()) as T;
}

const at = encodeURIComponent;

export const listGames = () => json<GameInfo[]>("/api/games");
export const checkSettings = (game: string, body: CheckSettings) =>
  json<SettingsChecked>(`/api/games/${at(game)}/check`, { body });
export const checkMap = (map: unknown) => json<MapChecked>("/api/games/navigation/maps/check", { body: map });
export const getMap = (name: string) => json<NavigationSeaMap>(`/api/games/navigation/maps/${at(name)}`);
export const makeRoom = (body: NewRoom) => json<SeatGrant>("/api/rooms", { body });
export const listPreparation = () => json<Preparation[]>("/api/preparation");
export const listRooms = () => json<RoomInfo[]>("/api/rooms");
export const getRoom = (room: string) => json<RoomInfo>(`/api/rooms/${at(room)}`);
export const joinRoom = (room: string, body: JoinRoom) =>
  json<SeatGrant>(`/api/rooms/${at(room)}/join`, { body });
export const getRecord = async (room: string, token: string | null) =>
  (await ask(`/api/rooms/${at(room)}/record`, { token })).text();
export const getReplay = (room: string, token: string | null) =>
  json<GameReplay>(`/api/rooms/${at(room)}/replay`, { token });
export const readRecord = (record: string) => json<GameReplay>("/api/replay", { body: { record } });
export const analyse = (body: AnalysisRequest) => json<AnalysisResponse>("/api/analysis", { body });
export const startReview = (body: ReviewRequest, token: string | null) => json<ReviewProgress>("/api/reviews", { body, token });
export const getReview = (id: string) => json<ReviewProgress>(`/api/reviews/${at(id)}`);
export const getRules = (game: string, body: CheckSettings) => json<GameRules>(`/api/games/${at(game)}/rules`, { body });
export const getInvitation = (room: string) => json<Invitation>(`/api/rooms/${at(room)}/invite`);
export const getDeviceLink = (room: string, token: string | null) =>
  json<Invitation>(`/api/rooms/${at(room)}/device`, { token });
export const listRecent = () => json<RecentGame[]>("/api/recent");
export const listPuzzles = (game: string) => json<PuzzleList>(`/api/puzzles/${at(game)}`);
export const listRatings = () => json<Rating[]>("/api/ratings");
