// The page's curves. They are loaded once and then follow the server's events. When the connection was lost the browser
// opens it again by itself and says what it had (Last-Event-ID); when too much was missed, everything is loaded anew.
"use strict";

const charts = [
  { key: "temperature", title: "Temperature", unit: "°C", digits: 1, least: 2 },
  { key: "humidity", title: "Humidity", unit: "%", digits: 0, least: 10 },
];
const patterns = ["", "7 4", "2 4", "10 4 2 4", "4 3", "12 5"];
const byId = (id) => document.getElementById(id);

let span = 86400;
let sensors = null; // not known yet
let curves = new Map(); // sensor → [{ time, temperature, humidity }], by time
let source = null;
let generation = 0;
let redraw = 0;
let pointed = null; // the time under the pointer

// Elements

function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  Object.assign(node, properties);
  node.append(...children);
  return node;
}

function shape(name, attributes = {}, text = null) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  return node;
}

// A sensor keeps its colour while the page is open, whatever sensors come.
const places = new Map();
function place(sensor) {
  if (!places.has(sensor)) places.set(sensor, places.size);
  return places.get(sensor);
}
const colour = (sensor) => `var(--curve-${place(sensor) % 6})`;
const pattern = (sensor) => patterns[Math.floor(place(sensor) / 6 + place(sensor)) % patterns.length];

function key(sensor) {
  const svg = shape("svg", { class: "key", viewBox: "0 0 22 10", "aria-hidden": "true" });
  const line = shape("line", { x1: 1, x2: 21, y1: 5, y2: 5, "stroke-dasharray": pattern(sensor) });
  line.style.stroke = colour(sensor);
  svg.append(line);
  return svg;
}

// Text

const number = (value, digits) =>
  value == null ? "–" : (value / 100).toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });

function age(time) {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} days ago`;
}

function clock(time, step) {
  const date = new Date(time);
  if (step >= 86400000) return date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
  const options = { hour: "numeric", minute: "2-digit" };
  if (step < 60000) options.second = "2-digit";
  return date.toLocaleTimeString(undefined, options);
}

// Sensors

function drawSensors() {
  byId("empty").hidden = sensors.length > 0;
  byId("sensors").replaceChildren(...sensors.map(card));
}

function card(sensor) {
  const values = element("dl", { className: "values" });
  for (const { key, title, unit, digits } of charts) {
    if (sensor[key] == null) continue;
    const value = element("dd", {}, number(sensor[key], digits), element("small", {}, unit));
    values.append(element("div", {}, element("dt", {}, title), value));
  }
  const notes = element("ul", { className: "notes" });
  const note = (text, className = "") => notes.append(element("li", { className }, text));
  note(sensor.isConnected ? "connected" : "not in range", sensor.isConnected ? "good" : "bad");
  if (sensor.time != null) note(age(sensor.time));
  if (sensor.battery != null) note(`battery ${sensor.battery} %`, sensor.battery < 15 ? "bad" : "");
  if (sensor.number != null) note(`no. ${sensor.number.toLocaleString()}`);
  if (sensor.missing > 0) note(`${sensor.missing.toLocaleString()} lost`, "bad");
  const title = element("h2", {}, key(sensor.id), element("span", { title: sensor.name }, sensor.name));
  return element("article", { className: "card sensor" }, title, values, notes);
}

// Curves

function insert(value) {
  let curve = curves.get(value.sensor);
  if (!curve) curves.set(value.sensor, (curve = []));
  // Mostly the newest; what a sensor has kept while it was away comes with its old times.
  let index = curve.length;
  while (index > 0 && curve[index - 1].time > value.time) index -= 1;
  curve.splice(index, 0, value);
}

function trim(now) {
  for (const curve of curves.values()) {
    while (curve.length && curve[0].time < now - span * 1000) curve.shift();
    if (curve.length <= 2000) continue;
    // More than can be seen: the older half is thinned out.
    const half = curve.length >> 1;
    curve.splice(0, half, ...curve.slice(0, half).filter((_, index) => index % 2 === 0));
  }
}

function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
  const values = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) values.push(value);
  return { step, values };
}

const timeSteps = [5, 10, 30, 60, 300, 600, 1200, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 432000, 864000].map((s) => s * 1000);

function timeTicks(begin, end, count) {
  const step = timeSteps.find((step) => (end - begin) / step <= count) || timeSteps.at(-1);
  const offset = new Date(end).getTimezoneOffset() * 60000;
  const values = [];
  for (let time = Math.ceil((begin - offset) / step) * step + offset; time <= end; time += step) values.push(time);
  return { step, values };
}

function drawChart(chart, section, now) {
  const known = (value) => value[chart.key] != null;
  const shown = sensors.filter((sensor) => (curves.get(sensor.id) || []).some(known));
  section.hidden = shown.length === 0;
  if (section.hidden) return;
  const svg = section.querySelector(":scope > svg");
  const { width, height } = svg.getBoundingClientRect();
  if (width === 0) return;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const area = { left: 40, right: width - 8, top: 6, bottom: height - 22 };
  let low = Infinity;
  let high = -Infinity;
  for (const sensor of shown) {
    for (const value of curves.get(sensor.id)) {
      if (!known(value)) continue;
      low = Math.min(low, value[chart.key] / 100);
      high = Math.max(high, value[chart.key] / 100);
    }
  }
  const margin = Math.max((high - low) * 0.08, (chart.least - (high - low)) / 2);
  low -= margin;
  high += margin;
  const begin = now - span * 1000;
  const x = (time) => area.left + ((time - begin) / (now - begin)) * (area.right - area.left);
  const y = (value) => area.bottom - ((value / 100 - low) / (high - low)) * (area.bottom - area.top);
  const nodes = [];
  const levels = ticks(low, high, 7);
  const digits = levels.step < 1 ? 1 : 0;
  for (const level of levels.values) {
    const at = y(level * 100);
    nodes.push(shape("line", { class: "grid", x1: area.left, x2: area.right, y1: at, y2: at }));
    nodes.push(shape("text", { class: "label", x: area.left - 7, y: at + 4, "text-anchor": "end" }, number(level * 100, digits)));
  }
  const times = timeTicks(begin, now, Math.max(3, Math.floor(width / 75)));
  for (const time of times.values) {
    const at = x(time);
    if (at < area.left + 12 || at > area.right - 12) continue;
    nodes.push(shape("text", { class: "label", x: at, y: height - 4, "text-anchor": "middle" }, clock(time, times.step)));
  }
  for (const sensor of shown) {
    const values = curves.get(sensor.id).filter(known);
    // Where values are missing the curve is interrupted: longer than several times what is usual between them.
    const steps = values.slice(1).map((value, index) => value.time - values[index].time).sort((a, b) => a - b);
    const pause = Math.max(5 * (steps[steps.length >> 1] || 0), span * 5, 3000);
    let path = "";
    values.forEach((value, index) => {
      const begins = index === 0 || value.time - values[index - 1].time > pause;
      path += `${begins ? "M" : "L"}${x(value.time).toFixed(1)} ${y(value[chart.key]).toFixed(1)}`;
    });
    const curve = shape("path", { class: "curve", d: path, "stroke-dasharray": pattern(sensor.id) });
    curve.style.stroke = colour(sensor.id);
    const last = values.at(-1);
    const end = shape("circle", { class: "end", cx: x(last.time), cy: y(last[chart.key]), r: 4.5 });
    end.style.fill = colour(sensor.id);
    nodes.push(curve, end);
  }
  section.querySelector(".reading")?.remove();
  if (pointed && pointed.section === section) {
    const time = begin + ((pointed.x - area.left) / (area.right - area.left)) * (now - begin);
    const reading = readingAt(time, chart, shown, known, times.step);
    if (reading) {
      const at = x(reading.time);
      nodes.push(shape("line", { class: "cursor", x1: at, x2: at, y1: area.top, y2: area.bottom }));
      section.append(reading.node);
      const space = width - reading.node.offsetWidth;
      reading.node.style.left = `${Math.min(Math.max(at + (at > width / 2 ? -reading.node.offsetWidth + 6 : 30), 0), space + 20)}px`;
    }
  }
  svg.setAttribute("aria-label", shown.map((sensor) => {
    const values = curves.get(sensor.id).filter(known).map((value) => value[chart.key]);
    const text = (value) => `${number(value, chart.digits)} ${chart.unit}`;
    return `${sensor.name}: ${text(values.at(-1))}, from ${text(Math.min(...values))} to ${text(Math.max(...values))}`;
  }).join("; "));
  svg.replaceChildren(...nodes);
}

function readingAt(time, chart, shown, known, step) {
  let nearest = null;
  const rows = [];
  for (const sensor of shown) {
    const values = curves.get(sensor.id).filter(known);
    const value = values.reduce((best, each) => (Math.abs(each.time - time) < Math.abs(best.time - time) ? each : best));
    if (Math.abs(value.time - time) > Math.max(span * 20, 2000)) continue;
    if (nearest === null || Math.abs(value.time - time) < Math.abs(nearest - time)) nearest = value.time;
    rows.push(element("div", {}, key(sensor.id), sensor.name, element("b", {}, `${number(value[chart.key], chart.digits)} ${chart.unit}`)));
  }
  if (nearest === null) return null;
  const day = step >= 14400000 ? `${new Date(nearest).toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" })} ` : "";
  const when = element("time", {}, day + clock(nearest, span <= 3600 ? 1000 : 60000));
  return { time: nearest, node: element("div", { className: "reading" }, when, ...rows) };
}

function draw() {
  redraw = 0;
  if (!sensors) return;
  const now = Date.now();
  trim(now);
  drawSensors();
  charts.forEach((chart, index) => drawChart(chart, byId("charts").children[index], now));
}

function drawSoon() {
  if (!redraw) redraw = requestAnimationFrame(draw);
}

// The server

function state(text, className = "") {
  const node = byId("state");
  if (node.textContent !== text) node.textContent = text;
  node.className = className;
}

async function load() {
  const mine = (generation += 1);
  source?.close();
  source = null;
  try {
    const response = await fetch(`history.json?seconds=${span}`);
    if (!response.ok) throw new Error(response.status);
    const history = await response.json();
    if (mine !== generation) return;
    curves = new Map();
    history.values.forEach(insert);
    follow(history.after, mine);
  } catch {
    if (mine !== generation) return;
    state("The logger does not answer; trying again", "lost");
    setTimeout(() => mine === generation && load(), 3000);
  }
}

function follow(after, mine) {
  let newest = after;
  source = new EventSource(`events?after=${after}`);
  source.addEventListener("open", () => state("Live", "live"));
  source.addEventListener("sensors", (event) => {
    sensors = JSON.parse(event.data);
    drawSoon();
  });
  source.addEventListener("values", (event) => {
    const values = JSON.parse(event.data);
    // The database was replaced by another one, or far more was missed than is shown.
    if (Number(event.lastEventId) < newest || values.length >= 500) return void load();
    newest = Number(event.lastEventId);
    values.forEach(insert);
    drawSoon();
  });
  source.addEventListener("error", () => {
    state("The connection is lost; trying again", "lost");
    // A refused connection is not opened again by the browser.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => mine === generation && load(), 3000);
  });
}

// The page

for (const chart of charts) {
  const title = element("h2", {}, chart.title, element("small", {}, chart.unit));
  const section = element("article", { className: "card chart", hidden: true }, title, shape("svg", { role: "img" }));
  const svg = section.querySelector(":scope > svg");
  svg.addEventListener("pointermove", (event) => {
    pointed = { section, x: event.clientX - svg.getBoundingClientRect().left };
    drawSoon();
  });
  svg.addEventListener("pointerleave", () => {
    pointed = null;
    drawSoon();
  });
  byId("charts").append(section);
}
for (const button of byId("spans").children) {
  button.addEventListener("click", () => {
    for (const other of byId("spans").children) other.setAttribute("aria-pressed", other === button);
    span = Number(button.dataset.seconds);
    load();
  });
}
new ResizeObserver(drawSoon).observe(document.body);
setInterval(drawSoon, 5000);
// A page that slept has missed events that no connection brings back.
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && load());
load();
