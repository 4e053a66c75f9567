// Replay: placeholder
import type { Route } from "../route";
export function EditorPage({ here }: { here: Route }) {
  return <p>{here.page}</p>;
}
