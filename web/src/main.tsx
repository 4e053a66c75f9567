// The entry: styles, routing, the shell.
import { render } from "preact";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/chart.css";
import "./styles/pages.css";
import "./styles/games.css";
import "./styles/newcomer.css";
import { App } from "./app";
import { loadGames } from "./games/catalogue";
import { startRouting } from "./route";

startRouting();
void loadGames();
render(<App />, document.getElementById("app")!);
