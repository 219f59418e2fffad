// The page of the service: ask for a graph, see its drawing, its place and its neighbours.
"use strict";

const at = (id) => document.getElementById(id);
const made = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
let served, named, map; // what the service says of itself, the types of parts, and the map on the page

async function answered(path, options) {
  const response = await fetch(path, options);
  const content = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(content.detail ?? `The service answered ${response.status}.`);
  return content;
}

function posted(content) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) };
}

function figure(drawing) {
  return made("div", { innerHTML: drawing ?? "<p>Too large to be drawn.</p>" });
}

function shown(value) {
  return typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4) : String(value);
}

// 0.996 is not certain, and is not shown as if it were.
function percent(share) {
  const text = share > 0.99 && share < 1 ? (Math.floor(share * 1000) / 10).toFixed(1) : Math.round(share * 100);
  return `${text} %`;
}

function table(head, rows) {
  const line = (cells, tag) => made("tr", {}, ...cells.map((textContent) => made(tag, { textContent })));
  return made("table", { className: "facts" }, ...(head ? [made("thead", {}, line(head, "th"))] : []),
    made("tbody", {}, ...rows.map((cells) => line(cells, "td"))));
}

function folded(name, content) {
  return made("details", {}, made("summary", { textContent: name }), content);
}

// One target is a line, several are a table, of which the first are seen at once.
const SEEN = 5;
function predictions(predicted) {
  const chance = ({ probability }) => (probability === null ? [] : [percent(probability)]);
  if (predicted.length === 1) {
    const [only] = predicted, [share] = chance(only);
    const text = `Predicted: ${only.target} ${shown(only.value)}${share ? ` (${share})` : ""}`;
    return [made("p", { textContent: text })];
  }
  const head = ["Target", "Predicted", ...(predicted.some((p) => chance(p).length) ? ["Probability"] : [])];
  const rows = predicted.map((p) => [p.target, shown(p.value), ...chance(p)]);
  const more = rows.slice(SEEN);
  return [...(rows.length ? [table(head, rows.slice(0, SEEN))] : []),
    ...(more.length ? [folded(`${more.length} more`, table(null, more))] : [])];
}

// What is known of a neighbour: a line or two, or folded.
function known(targets) {
  const rows = Object.entries(targets).map(([name, value]) => [name, shown(value)]);
  if (rows.length > 2) return [folded(`${rows.length} targets`, table(null, rows))];
  return rows.map((cells) => made("p", { textContent: cells.join(" ") }));
}

function card(neighbor) {
  const text = [`${neighbor.id}`, `cosine ${neighbor.cosine.toFixed(3)}`];
  return made("div", { className: "card" }, figure(neighbor.drawing),
    ...text.map((line) => made("p", { textContent: line, title: line })), ...known(neighbor.targets));
}

// The parts of a graph, those that are alike together.
function legend(parts) {
  const alike = new Map();
  for (const { type, color, name } of parts.toSorted((a, b) => a.type - b.type)) {
    const text = `${type}: ${name}`, { count } = alike.get(text) ?? { count: 0 };
    alike.set(text, { color, count: count + 1 });
  }
  const colors = [...alike.values()].map(({ color }) => color), counts = [...alike.values()].map(({ count }) => count);
  return parts.length ? [mapLegend({ names: [...alike.keys()], colors }, counts)] : [];
}

// Which parts drive the prediction: bars to the right raise it, to the left lower it.
const BARS = 6;
function explanation(explained) {
  if (!explained) return [];
  const { target, label, parts } = explained, longest = Math.max(...parts.map((p) => Math.abs(p.effect))) || 1;
  const number = (effect) => {
    const text = label === null ? Number(effect.toPrecision(3)) : `${(100 * effect).toFixed(1)} %`;
    return `${effect > 0 ? "+" : ""}${text}`.replace("-", "\u2212");
  };
  const bar = ({ type, color, name, effect }) => {
    const fill = made("i");
    fill.style.width = `${(100 * Math.abs(effect)) / longest}%`;
    fill.style.background = color;
    return made("li", {}, mapSwatch(color), made("span", { textContent: `${type}: ${name}` }),
      made("b", { className: effect < 0 ? "down" : "up" }, fill), made("span", { textContent: number(effect) }));
  };
  const list = (some) => made("ul", { className: "bars" }, ...some.map(bar)), more = parts.slice(BARS);
  const what = label === null ? target : `the probability of ${target} ${label}`;
  const text = `What each part adds to ${what}: the prediction minus that without the part.`;
  return [made("p", { className: "lead", textContent: text }), list(parts.slice(0, BARS)),
    ...(more.length ? [folded(`${more.length} more ${more.length === 1 ? "part" : "parts"}`, list(more))] : [])];
}

function typeCard({ color, name, parts, graphs, mean_size, forms, drawings }) {
  const facts = `${parts} ${parts === 1 ? "part" : "parts"} in ${percent(graphs)} of the graphs, `
    + `${mean_size === 1 ? "1 node each" : `${mean_size.toFixed(1)} nodes on average`}.`;
  const most = Object.entries(forms).map(([form, share]) => `${form} ${percent(share)}`).join(", ");
  return made("div", { className: "card" }, made("h3", {}, mapSwatch(color), name),
    made("div", { className: "examples", innerHTML: drawings.join("") }),
    made("p", { textContent: facts }), made("p", { textContent: `Most frequent: ${most}.` }));
}

function showTypes() {
  if (!named.own) {
    at("types-lead").append(" The run has no vocabulary of its own; these types are those of the graphs shown here.");
  }
  at("types-summary").textContent = `${named.types.length} types`;
  at("types").replaceChildren(...named.types.map(typeCard));
}

function unlike(far) {
  const text = "Far from what the encoder was trained on: its vector, and so its neighbours, may mean little.";
  return far ? [made("p", { className: "far", textContent: text })] : [];
}

function answer(graph) {
  return made("article", { className: "answer" },
    made("div", {}, made("h2", { textContent: graph.id }), figure(graph.drawing), ...legend(graph.parts),
      ...unlike(graph.far), ...predictions(graph.predicted), ...explanation(graph.explanation)),
    made("div", {}, made("h2", { textContent: "Closest graphs" }),
      made("div", { className: "cards" }, ...graph.neighbors.map(card))));
}

// What could not be read, a sentence each; many are folded.
function problems(unanswered, count) {
  const lines = unanswered.map(({ id, reason }) => made("p", {
    textContent: reason.includes(id) ? reason : `${id}: ${reason}`,
  }));
  if (count <= 1 || !lines.length) return lines;
  const what = lines.length === 1 ? "1 graph" : `${lines.length} graphs`, more = lines.slice(SEEN);
  return [made("p", { textContent: `${what} could not be read.` }), ...lines.slice(0, SEEN),
    ...(more.length ? [folded(`${more.length} more`, made("div", {}, ...more))] : [])];
}

async function look(ask) {
  const button = document.querySelector("#ask button[type=submit]");
  at("message").replaceChildren();
  button.disabled = true;
  try {
    const graphs = await ask();
    const unanswered = graphs.filter((graph) => "reason" in graph), seen = graphs.filter((graph) => !("reason" in graph));
    at("message").replaceChildren(...problems(unanswered, graphs.length));
    if (!seen.length) return;
    at("answers").replaceChildren(...seen.map(answer));
    await map?.mark(seen.map((graph) => ({ id: graph.id, x: graph.place[0], y: graph.place[1] })));
  } catch (reason) {
    at("message").textContent = reason.message;
  } finally {
    button.disabled = false;
  }
}

function given() {
  const text = at("given").value.trim();
  if (!text) throw new Error("Give a graph first.");
  if (text[0] === "{" || text[0] === "[") {
    let graphs;
    try { graphs = JSON.parse(text); } catch { throw new Error("This is not JSON; check its brackets and quotes."); }
    return { graphs: Array.isArray(graphs) ? graphs : [graphs] };
  }
  if (!served.smiles) throw new Error("The model did not learn from SMILES; give node-link JSON, or a file.");
  return { smiles: text.split(/\s+/) };
}

const SMILES = ["CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "c1ccccc1"];
async function start() {
  [served, named] = await Promise.all([answered("/healthz"), answered("/types")]);
  at("about").textContent = `${served.method}, ${served.graphs} graphs of ${served.data}, vectors of width ${served.width}`;
  at("given-label").textContent = served.smiles ? "A molecule, as SMILES" : "A graph, as node-link JSON";
  const network = JSON.stringify(served.example.graphs[0]);
  const examples = served.smiles ? SMILES.map((text) => [text, text]) : [["a graph with its attributes", network]];
  at("hint").append("For example: ", ...examples.map(([name, text]) => made("button", {
    type: "button", textContent: name, onclick() { at("given").value = text; at("ask").requestSubmit(); },
  })));
  at("curl").textContent = `curl ${location.origin}/neighbors -H 'Content-Type: application/json' `
    + `-d '${served.smiles ? '{"smiles": ["CCO"], "k": 3}' : `{"graphs": [${network}], "k": 3}`}'`;
  at("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    look(() => answered("/look", posted(given())));
  });
  at("given").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); at("ask").requestSubmit(); }
  });
  at("file").addEventListener("change", () => {
    const file = at("file").files[0];
    if (file) look(() => answered(`/upload?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }));
    at("file").value = "";
  });
  showTypes();
  at("given").focus();
  map = await showMap(document.querySelector(".map"), await answered("/map"));
}

start().catch((reason) => { at("message").textContent = reason.message; });
