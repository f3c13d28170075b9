// See it move: a slider changes the address, the card is redrawn, and the figures of its games arrive as events.
const moving = document.getElementById("moving");
const at = moving.dataset.at;
const WAIT = 250;  // milliseconds after a slider has moved
let source = null;
let timer = 0;
let depth = 0;  // number of changes that can be undone

function written(value, kind, signed) {
  if (value === null) return "";
  const unit = signed ? "\u00a0pp" : "%";
  const text = kind === "share" ? `${(100 * value).toFixed(1)}${unit}` : value.toFixed(2);
  return (signed && value > 0 ? `+${text}` : text).replace("-", "\u2212");
}

function draw(cell, row, span) {
  const place = (value) => 0.5 + (0.46 * value) / span;  // room for a dot at the edge
  cell.classList.add("range");
  cell.classList.toggle("clear", row.clear);
  const places = { from: place(row.low), to: place(row.high), here: place(row.effect), base: 0.5 };
  for (const [name, value] of Object.entries(places)) cell.style.setProperty(`--${name}`, value);
}

function cell(row, className, text) {
  const made = row.appendChild(document.createElement("td"));
  made.className = className;
  made.textContent = text;
  return made;
}

function showFigures(rows) {
  const spans = {};
  for (const { kind, low, high } of rows) spans[kind] = Math.max(spans[kind] ?? 1e-9, Math.abs(low ?? 0), Math.abs(high ?? 0));
  const lines = rows.map((figure, index) => {
    const line = document.createElement("tr");
    if (index < 3) line.className = "first";
    const head = line.appendChild(document.createElement("th"));
    head.scope = "row";
    head.textContent = figure.label;
    cell(line, "number", written(figure.printed, figure.kind));
    cell(line, "number", written(figure.changed, figure.kind));
    const known = figure.low !== null && figure.high !== null;
    const difference = cell(line, "number", written(figure.effect, figure.kind, true));
    const ends = difference.appendChild(document.createElement("small"));
    ends.textContent = known ? `${written(figure.low, figure.kind, true)} to ${written(figure.high, figure.kind, true)}` : "too few deals differ";
    const drawn = cell(line, "bar", "");
    if (known) draw(drawn, figure, spans[figure.kind]);
    return line;
  });
  document.querySelector("#figures tbody").replaceChildren(...lines);
  document.getElementById("figures").hidden = !rows.length;
  const goal = rows.find(({ name }) => name !== "score" && !name.startsWith("worth:") && !name.startsWith("win:"));
  if (goal) {
    document.getElementById("goal-name").textContent = `\u201c${goal.label.charAt(0).toLowerCase()}${goal.label.slice(1)}\u201d`;
    document.getElementById("goal-metric").value = goal.name;
    document.getElementById("goal-value").value = goal.printed ?? "";
    document.getElementById("fix").disabled = goal.printed === null;
  }
}

function follow() {
  source?.close();
  const state = document.getElementById("state");
  if (!document.querySelector(".slider.moved") && !document.querySelector("#sliders [name=change]")) {
    state.textContent = "As printed. Move a slider: games start immediately.";
    for (const line of document.querySelectorAll("#figures tbody tr")) line.className = "old";
    return;
  }
  state.textContent = "Preparing the games ...";
  for (const line of document.querySelectorAll("#figures tbody tr")) line.classList.add("old");
  source = new EventSource(moving.dataset.events);
  source.addEventListener("message", (event) => {
    const record = JSON.parse(event.data);
    if (record.error) {
      state.textContent = record.error;
      source.close();
      return;
    }
    const done = record.deals >= record.most ? " (finished)" : "";
    state.textContent = `${record.deals.toLocaleString("en")} deals, each played twice${done}.`;
    showFigures(record.rows);
  });
  source.addEventListener("error", () => { state.textContent = "The connection is lost; trying again."; });
}

// Loads the page at an address, and replaces the card, the links and the hidden form fields with those of that page.
async function renew(address, push) {
  const reply = await fetch(address);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const fresh = page.getElementById("moving");
  if (!fresh) return;
  if (push) {
    history.pushState({ depth: (depth += 1) }, "", address);
  }
  document.getElementById("undo").disabled = depth === 0;
  moving.dataset.events = fresh.dataset.events;
  document.getElementById("drawings").replaceChildren(...page.getElementById("drawings").childNodes);
  moving.querySelector(":scope > .refused")?.remove();
  const refused = fresh.querySelector(":scope > .refused");
  if (refused) moving.querySelector("h2").after(refused);
  const then = document.getElementById("then");
  const freshThen = page.getElementById("then");
  then.hidden = freshThen.hidden || Boolean(refused);
  for (const id of ["sure", "catalogue"]) document.getElementById(id).href = page.getElementById(id).href;
  const carried = freshThen.querySelectorAll(".carried");
  then.querySelectorAll(".carried").forEach((box, index) => box.replaceChildren(...carried[index].childNodes));
  fresh.querySelectorAll(".slider").forEach((slider) => {
    const own = document.querySelector(`.slider[data-path="${CSS.escape(slider.dataset.path)}"]`);
    if (!own) return;
    own.querySelector("input").value = slider.querySelector("input").value;
    mark(own);
  });
  if (!refused) follow();
}

function mark(slider) {
  const { value } = slider.querySelector("input");
  slider.querySelector("output").textContent = value;
  slider.classList.toggle("moved", value !== slider.dataset.printed);
}

function address() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(document.getElementById("sliders"))) fields.append(name, value);
  for (const slider of document.querySelectorAll(".slider.moved")) {
    fields.append("change", `${slider.dataset.path}=${slider.querySelector("input").value}`);
  }
  return `/move?${fields}`;
}

if (at) {
  for (const slider of document.querySelectorAll(".slider")) {
    mark(slider);
    slider.querySelector("input").addEventListener("input", () => {
      mark(slider);
      clearTimeout(timer);
      timer = setTimeout(() => renew(address(), true), WAIT);
    });
  }
  document.getElementById("undo").addEventListener("click", () => history.back());
  addEventListener("popstate", (event) => {
    depth = event.state?.depth ?? 0;
    renew(location.href, false);
  });
  depth = history.state?.depth ?? 0;
  document.getElementById("undo").disabled = depth === 0;
  if (!moving.querySelector(":scope > .refused")) follow();
} else {
  const search = document.getElementById("parts");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of document.querySelectorAll("#part-list li")) {
      item.hidden = !words.every((word) => item.textContent.toLowerCase().includes(word));
    }
  });
}
