// The list of a run's games with its filters; every game opens in the replay viewer.
"use strict";

const MOST = 500; // rows on the page; filters find the others
const at = (id) => document.getElementById(id);

/** How a game ended for the agent in `seat`. */
function ending(game, seat) {
  const [ours, theirs] = [game.returns[seat], game.returns[1 - seat]];
  if (theirs === undefined) return `${-ours} shots`;
  return ours > theirs ? "won" : ours < theirs ? "lost" : "drawn";
}

function matches(game, want) {
  const seat = want.agent ? game.agents.indexOf(want.agent) : 0;
  if (seat < 0) return false;
  const others = want.agent ? game.agents.filter((_, i) => i !== seat) : game.agents;
  if (want.opponent && !others.includes(want.opponent)) return false;
  if (game.moves < want.least || game.moves > want.most) return false;
  if (want.result === "forfeit") return game.forfeits.some((f) => !want.agent || f.agent === want.agent);
  return !want.result || ending(game, seat) === want.result;
}

function row(game, agent) {
  const seat = agent ? game.agents.indexOf(agent) : 0;
  const line = document.createElement("tr");
  const cells = [
    String(game.number).padStart(6, "0"),
    game.agents.join(" – "),
    ending(game, seat),
    game.moves,
    game.forfeits.map((f) => `${f.agent}: ${f.detail}`).join("; "),
  ];
  for (const text of cells) line.insertCell().textContent = text;
  const links = line.insertCell();
  const add = (href, text) => {
    const link = document.createElement("a");
    [link.href, link.textContent] = [href, text];
    links.append(link, " ");
  };
  add(`/replay?record=${encodeURIComponent(`/run/records/${game.number}`)}`, "replay");
  if (game.forfeits.length) add(`/run/diagnoses/${game.number}`, "diagnosis");
  return line;
}

function show(run) {
  const want = {
    agent: at("agent").value,
    opponent: at("opponent").value,
    result: at("result").value,
    least: Number(at("least").value || 0),
    most: Number(at("most").value || Infinity),
  };
  const sign = { number: 0, shortest: 1, longest: -1 }[at("order").value];
  const found = run.games.filter((game) => matches(game, want));
  found.sort((a, b) => sign * (a.moves - b.moves) || a.number - b.number);
  at("count").textContent = `${found.length} of ${run.games.length} games${found.length > MOST ? `, the first ${MOST} shown` : ""}`;
  at("games").replaceChildren(...found.slice(0, MOST).map((game) => row(game, want.agent)));
}

fetch("/run/games.json").then(async (answer) => {
  const run = await answer.json();
  at("about").textContent = `${run.game} · ${run.folder}`;
  for (const id of ["agent", "opponent"]) {
    for (const name of ["", ...run.agents]) at(id).add(new Option(name || "any", name));
  }
  document.querySelector("form").addEventListener("input", () => show(run));
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  show(run);
});
