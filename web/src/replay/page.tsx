// Replay: placeholder
import type { Route } from "../route";
export function ReplayPage({ here }: { here: Route }) {
  return <p>{here.page}</p>;
}
