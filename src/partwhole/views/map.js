// The map of the graphs: a dot each, coloured by a column that can be chosen; the graph under the pointer
// (or the one that was clicked) is drawn beside it.
"use strict";

const MOST_FACTS = 8; // about a graph, before they are folded

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function traces(data, column) {
  const all = data.x.map((_, i) => i);
  const trace = (name, rows, marker) => ({
    type: "scattergl", mode: "markers", name,
    x: rows.map((i) => data.x[i]), y: rows.map((i) => data.y[i]), customdata: rows,
    text: rows.map((i) => data.ids[i]), hoverinfo: "text",
    marker: { size: 7, opacity: 0.8, ...marker },
  });
  if (!column) return [trace("graphs", all, { color: data.colors[0] })];
  const known = all.filter((i) => column.values[i] !== null);
  const rest = all.filter((i) => column.values[i] === null);
  const gaps = rest.length ? [trace("not known", rest, { color: "#9aa5b1", opacity: 0.4 })] : [];
  if (column.numeric) {
    const color = known.map((i) => column.values[i]);
    return [...gaps, trace(column.name, known, { color, colorscale: "Viridis", colorbar: { thickness: 12 } })];
  }
  const classes = [...new Set(known.map((i) => column.values[i]))].sort();
  return [...gaps, ...classes.map((value, k) => {
    const rows = known.filter((i) => column.values[i] === value);
    return trace(String(value), rows, { color: data.colors[k % data.colors.length] });
  })];
}

// Names begin with `map`, since a page may have scripts of its own.
const mapElement = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

function mapSwatch(color) {
  const swatch = mapElement("i", { className: "swatch" });
  swatch.style.background = color;
  return swatch;
}

// Colour, name and number of parts of each type that a graph has.
function mapLegend({ names, colors }, counts) {
  return mapElement("ul", { className: "legend" }, ...counts.flatMap((count, k) => (
    count ? [mapElement("li", {}, mapSwatch(colors[k]), `${names[k]}${count > 1 ? ` × ${count}` : ""}`)] : []
  )));
}

function mapFacts(columns, i) {
  const shown = (value) => (value % 1 ? Number(value.toPrecision(5)) : value ?? "not known");
  return mapElement("dl", {}, ...columns.flatMap(({ name, values }) => [
    mapElement("dt", { textContent: name }), mapElement("dd", { textContent: shown(values[i]) }),
  ]));
}

// Beside the map: the drawing of graph i, its parts, and its columns; those beyond a handful are folded.
function describe(panel, data, drawings, i) {
  const drawing = mapElement("div", { innerHTML: drawings[i] ?? "<p>This graph is not drawn.</p>" });
  const name = mapElement("p", { textContent: `graph ${data.ids[i]}` });
  const first = data.columns.length > MOST_FACTS + 1 ? data.columns.slice(0, MOST_FACTS) : data.columns;
  const rest = data.columns.slice(first.length);
  const folded = mapElement("details", { open: panel.querySelector("details")?.open ?? false },
    mapElement("summary", { textContent: `${rest.length} more` }), mapFacts(rest, i));
  panel.replaceChildren(drawing, ...(data.parts ? [mapLegend(data.parts, data.parts.counts[i])] : []), name,
    mapFacts(first, i), ...(rest.length ? [folded] : []));
}

// Draw the map; what it gives back can mark places of graphs that are not on it.
async function showMap(box, data) {
  const plot = box.querySelector(".plot"), panel = box.querySelector("aside"), choice = box.querySelector("select");
  const layout = {
    margin: { l: 10, r: 10, t: 10, b: 10 }, height: 460, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 13, color: "#7b8794" }, hovermode: "closest",
    modebar: { bgcolor: "rgba(0,0,0,0)", color: "#9aa5b1", activecolor: "#0072B2" },
    xaxis: { showticklabels: false, zeroline: false, gridcolor: "rgba(128,128,128,.2)" },
    yaxis: { showticklabels: false, zeroline: false, gridcolor: "rgba(128,128,128,.2)" },
    legend: { orientation: "h", y: 1.08 }, uirevision: "same",
  };
  let marked = [];
  const draw = () => {
    const column = data.columns.find((c) => c.name === choice.value);
    // White within black is seen on every colour and on both pages; as WebGL it lies above the dots.
    const stars = {
      type: "scattergl", mode: "markers", name: marked.length > 1 ? "your graphs" : "your graph",
      x: marked.map((m) => m.x), y: marked.map((m) => m.y), text: marked.map((m) => m.id), hoverinfo: "text",
      marker: { symbol: "star", size: 26, opacity: 1, color: "#fff", line: { color: "#000", width: 3 } },
    };
    const shown = [...traces(data, column), ...(marked.length ? [stars] : [])];
    return Plotly.react(plot, shown, layout, { displaylogo: false, responsive: true });
  };
  for (const column of data.columns) choice.append(new Option(column.name, column.name));
  choice.append(new Option("nothing", ""));
  choice.value = data.columns.length ? data.columns[0].name : "";
  choice.addEventListener("change", draw);
  await draw();
  const drawings = await unpacked(data.drawings);
  let pinned = false;
  const tell = (event) => {
    const row = event.points[0].customdata;
    if (row !== undefined) describe(panel, data, drawings, row);
  };
  plot.on("plotly_hover", (event) => { if (!pinned) tell(event); });
  plot.on("plotly_click", (event) => { pinned = !pinned; tell(event); });
  box.dataset.ready = "yes";
  return { mark(places) { marked = places; return draw(); } };
}

for (const script of document.querySelectorAll("script.map-data")) {
  showMap(script.closest(".map"), JSON.parse(script.textContent));
}
