// The live page of a match: asks for what has changed, shows it, and replays single games.
"use strict";

const POLL = 1500; // milliseconds between two looks at the match
const find = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const COLOURS = ["#1f6f8b", "#c8553d"];

let offset = 0;
const requests = {}; // by what is asked for: how many so far
let seen = -1;
let game = null;
let position = 0;

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

async function ask(path) {
  const answer = await fetch(path);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

/** The same, or null if the same thing was asked for once more meanwhile: answers may come in any order. */
async function askLatest(what, path) {
  const number = (requests[what] ?? 0) + 1;
  requests[what] = number;
  const found = await ask(path);
  return number === requests[what] ? found : null;
}

function seconds(value) {
  if (value === undefined) return "";
  return value >= 1 ? `${value.toFixed(2)} s` : `${(value * 1000).toPrecision(3)} ms`;
}

function line(points, left, width, top, height, low, high, colour) {
  const x = (i) => left + (width * i) / Math.max(1, points.length - 1);
  const y = (v) => top + height - (height * (v - low)) / (high - low || 1);
  const path = points
    .map((v, i) => [v, i])
    .filter(([v]) => v !== null && v !== undefined)
    .map(([v, i], n) => `${n ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`)
    .join("");
  return shape("path", { d: path, fill: "none", stroke: colour, "stroke-width": 2 });
}

function showCurve(sprt) {
  find("curve").hidden = sprt === null;
  if (sprt === null) return;
  const [low, high] = sprt.bounds;
  const bottom = Math.min(low, ...sprt.llr);
  const top = Math.max(high, ...sprt.llr);
  const parts = [line(sprt.llr, 40, 800, 10, 200, bottom, top, COLOURS[0])];
  for (const bound of [low, 0, high]) {
    const y = 210 - (200 * (bound - bottom)) / (top - bottom);
    const dash = bound === 0 ? "2 4" : "6 4";
    parts.push(shape("line", { x1: 40, x2: 840, y1: y, y2: y, stroke: "#888", "stroke-dasharray": dash }));
    const label = shape("text", { x: 4, y: y + 4, "font-size": 11 });
    label.textContent = bound.toFixed(2);
    parts.push(label);
  }
  const label = shape("text", { x: 40, y: 234, "font-size": 12 });
  label.textContent = `${sprt.pairs.at(-1)} pairs: ${sprt.verdict ?? "undecided"}`;
  find("llr").replaceChildren(...parts, label);
}

function showRunning(games) {
  find("running").hidden = games.length === 0;
  find("boards").replaceChildren(
    ...games.map((one) => {
      const box = element("div", "");
      box.append(element("b", `${one.seats.join(" – ")}: move ${one.moves}`), element("pre", one.board));
      return box;
    }),
  );
}

function result(one) {
  if (one.returns.length === 1) return `${-one.returns[0]} shots`;
  const [a, b] = one.returns;
  return a === b ? "½ : ½" : a > b ? "1 : 0" : "0 : 1";
}

async function showGames(more) {
  offset = more ? offset : 0;
  const query = new URLSearchParams({ agent: find("agent").value, result: find("result").value, offset });
  const found = await askLatest("games", `games.json?${query}`);
  if (found === null) return;
  const rows = found.games.map((one) => {
    const row = element("tr", "", { "data-game": one.number });
    const note = one.forfeits.map((f) => `${one.seats[f.seat]}: ${f.reason}: ${f.detail}`).join("; ");
    for (const [text, left] of [
      [String(one.number).padStart(6, "0"), 0],
      [one.round, 0],
      [one.seats.join(" – "), 1],
      [result(one), 0],
      [one.moves, 0],
      [note, 1],
    ])
      row.append(element("td", text, left ? { class: "left" } : {}));
    row.addEventListener("click", () => void open(one.number));
    return row;
  });
  if (more) find("games").append(...rows);
  else find("games").replaceChildren(...rows);
  offset += rows.length;
  find("count").textContent = `${found.total} games`;
  find("more").hidden = offset >= found.total;
}

async function open(number) {
  let found;
  try {
    found = await askLatest("game", `game.json?number=${number}`);
  } catch (error) {
    find("count").textContent = error.message;
    return;
  }
  if (found === null) return;
  game = found;
  find("viewer").hidden = false;
  const how = game.end === null ? "" : `, ${game.end.how}${game.end.reason ? `: ${game.end.reason}` : ""}`;
  find("viewed").textContent = `Game ${number}: ${game.seats.join(" – ")}${how}`;
  find("at").max = game.frames.length - 1;
  const rows = [];
  game.frames.forEach((frame, move) => {
    for (const [seat, action] of Object.entries(frame.actions ?? {})) {
      const row = element("tr", "", { "data-move": move });
      row.append(element("td", move), element("td", game.seats[seat] ?? seat, { class: "left" }));
      row.append(element("td", action, { class: "left" }), element("td", seconds(frame.seconds[seat])));
      row.append(element("td", frame.values[seat] ?? ""), element("td", frame.notes[seat] ?? "", { class: "left" }));
      row.addEventListener("click", () => show(move));
      rows.push(row);
    }
  });
  find("moves").replaceChildren(...rows);
  const curves = game.seats.map((_, seat) => {
    const values = game.frames.map((f) => f.values?.[seat]).map((v) => (v === undefined ? null : seat ? -v : v));
    return line(values, 10, 840, 10, 100, -1, 1, COLOURS[seat]);
  });
  find("values").replaceChildren(...curves);
  show(0);
  find("viewer").scrollIntoView();
}

function show(move) {
  if (game === null) return;
  position = Math.max(0, Math.min(game.frames.length - 1, move));
  const frame = game.frames[position];
  find("board").textContent = frame.board;
  find("at").value = position;
  find("move").textContent = `move ${position} of ${game.frames.length - 1}`;
  const notes = Object.entries(frame.notes ?? {}).map(([seat, note]) => `${game.seats[seat]}: ${note}`);
  find("said").textContent = notes.join(" · ");
  for (const row of find("moves").children)
    row.classList.toggle("now", Number(row.dataset.move) === position);
}

async function look() {
  let wait = POLL;
  try {
    const state = await ask("state.json");
    find("title").textContent = state.complete ? "Match: done" : "Match: live";
    find("progress").textContent = `${state.played} of ${state.scheduled} games`;
    find("bar").value = state.scheduled ? state.played / state.scheduled : 1;
    showRunning(state.running);
    showCurve(state.sprt);
    if (state.played !== seen) {
      find("report").innerHTML = await (await fetch("report")).text();
      if (offset <= 200) await showGames(false);
      seen = state.complete || state.played === 0 ? state.played : -1;
    }
    if (state.complete && seen === state.played) wait = 10 * POLL;
  } catch (error) {
    find("progress").textContent = "The match has ended or its program was closed.";
    wait = 5 * POLL;
  }
  setTimeout(look, wait);
}

for (const id of ["agent", "result"]) find(id).addEventListener("change", () => void showGames(false));
find("more").addEventListener("click", () => void showGames(true));
find("at").addEventListener("input", () => show(Number(find("at").value)));
find("first").addEventListener("click", () => show(0));
find("back").addEventListener("click", () => show(position - 1));
find("forward").addEventListener("click", () => show(position + 1));
find("last").addEventListener("click", () => show(Infinity));
void look();
