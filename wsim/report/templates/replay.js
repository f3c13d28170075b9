// The board of a game. At a table where it is being played (game.live), the page updates itself with a new board.
let game = null;
let scenes = [];
let seatCount = 0;
let here = 0;
const find = (id) => document.getElementById(id);

function make(tag, className, ...content) {
  const one = document.createElement(tag);
  if (className) one.className = className;
  one.append(...content);
  return one;
}

function colourOf(seat) {
  return game.colours[seat % game.colours.length];
}

// The win chance of a seat, from what it knows or, with open hands, from what an observer sees.
function chance(seat) {
  if (!game.shares.length) return "";
  const open = !game.live && find("view").value === "open";
  return `${open ? game.outside[here][seat] : Math.round(100 * game.shares[here][seat])}%`;
}

function number(count, what) {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function total(scene, seat) {
  return scene.cities[seat].points.reduce((sum, one) => sum + one, 0);
}

// Whose cards are visible: everybody's, nobody's, or those of one seat and its partners.
function sees(seat) {
  const view = game.live ? "open" : find("view").value; // at a table, the page contains only what the viewer may see
  if (view === "open") return true;
  if (view === "none" || seat === null) return false;
  return game.seats[Number(view)].side === game.seats[seat].side;
}

// --- the table

function boxOf(seat, width, height, box) {
  const angle = Math.PI / 2 + (2 * Math.PI * (seat - (game.me ?? 0))) / seatCount;  // the seat to the left sits next clockwise
  return {
    x: width / 2 + (width / 2 - box.width / 2 - 2) * Math.cos(angle),
    y: height / 2 + (height / 2 - box.height / 2 - 2) * Math.sin(angle),
  };
}

function svg(tag, attributes, text) {
  const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  if (text !== undefined) one.textContent = text;
  return one;
}

// The point where the line from one box to another leaves the first box.
function edgeOf(from, to, box) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const reach = Math.min((box.width / 2 + 5) / Math.abs(dx || 1e-9), (box.height / 2 + 5) / Math.abs(dy || 1e-9), 0.45);
  return { x: from.x + dx * reach, y: from.y + dy * reach };
}

function along(from, to, share, aside = 0) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  return { x: from.x + dx * share - (dy / length) * aside, y: from.y + dy * share + (dx / length) * aside };
}

function arrow(flow, places, box) {
  const from = edgeOf(places[flow.giver], places[flow.taker], box);
  const to = edgeOf(places[flow.taker], places[flow.giver], box);
  const aside = Math.min(34, 12 + 0.2 * Math.hypot(to.x - from.x, to.y - from.y));
  const bend = along(from, to, 0.5, aside);
  const label = along(from, to, 0.5, aside * 0.5 + 9);
  const path = svg("path", { class: "flow", d: `M${from.x},${from.y} Q${bend.x},${bend.y} ${to.x},${to.y}`, "marker-end": "url(#head)" });
  return [path, svg("text", { x: label.x, y: label.y }, flow.text)];
}

function clash(fight, places, box) {
  const [one, other] = fight.seats.map((seat) => places[seat]);
  const [from, to] = [edgeOf(one, other, box), edgeOf(other, one, box)];
  const line = svg("line", { class: "clash", x1: from.x, y1: from.y, x2: to.x, y2: to.y });
  if (Math.hypot(to.x - from.x, to.y - from.y) < 40) return [line];  // no room; the list of events states it
  const [near, far] = [along(from, to, 0.14), along(from, to, 0.86)];
  return [
    line,
    svg("text", { class: "strength", x: near.x, y: near.y }, fight.strengths[0]),
    svg("text", { class: "strength", x: far.x, y: far.y }, fight.strengths[1]),
  ];
}

function node(scene, seat, place, box) {
  const city = scene.cities[seat];
  const [fact] = Object.entries(city.facts);
  const { name, policy, side } = game.seats[seat];
  const acts = seat === scene.turn_of || (here === scenes.length - 1 && game.acting?.includes(seat));
  const one = make("div", acts ? "node acts" : "node", make("b", "", name));
  if (game.live && policy) one.append(make("small", "", policy));
  const figures = city.points.length ? [number(total(scene, seat), "point")] : [];
  if (fact && scene.board.length === 0) figures.push(number(fact[1], fact[0].replace(/s$/, "")));
  if (side >= 0 && chance(seat)) figures.push(`${chance(seat)} to win`);
  figures.forEach((text, index) => one.append(...(index ? [make("br")] : []), text));
  if (scene.board.length === 0 && city.cards.length) one.append(make("div", "pips", ...city.cards.map(pip)));
  one.style.cssText = `left:${place.x}px;top:${place.y}px;width:${box.width}px;--seat:${colourOf(seat)}`;
  return one;
}

// A card on the table, as a small square in its colour.
function pip(card) {
  const one = make("i");
  if (card.kind !== null) one.style.setProperty("--kind", game.kinds[card.kind]);
  return one;
}

function drawRing(scene) {
  const ring = find("ring");
  const width = ring.clientWidth;
  if (!width) return;
  const narrow = width < 420;
  const height = Math.round(narrow ? width * (seatCount > 5 ? 1.6 : 1.1) : Math.min(width * 0.85, 460));
  const box = { width: narrow ? 96 : 124, height: scene.board.length ? 62 : 104 };
  ring.style.height = `${height}px`;
  const places = game.seats.map((_, seat) => boxOf(seat, width, height, box));
  const drawing = svg("svg", { "aria-hidden": "true" });
  const marker = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  marker.append(svg("path", { d: "M0,0 L8,4 L0,8 Z" }));
  drawing.append(svg("defs", {}));
  drawing.firstChild.append(marker);
  game.seats.forEach((_, seat) => {
    const next = places[(seat + 1) % seatCount];
    drawing.append(svg("line", { class: "edge", x1: places[seat].x, y1: places[seat].y, x2: next.x, y2: next.y }));
  });
  for (const fight of scene.clashes) drawing.append(...clash(fight, places, box));
  for (const flow of scene.flows) drawing.append(...arrow(flow, places, box));
  ring.classList.toggle("small", narrow);
  ring.replaceChildren(drawing, ...game.seats.map((_, seat) => node(scene, seat, places[seat], box)));
  const coins = scene.flows.map((flow) => `${game.seats[flow.giver].name} to ${game.seats[flow.taker].name}: ${flow.text}`);
  const points = game.seats.map((seat, place) => `${seat.name} ${total(scene, place)}`);
  ring.setAttribute("aria-label", `Points: ${points.join(", ")}. ${game.flows}: ${coins.join(", ") || "none"}.`);
}

// --- events, cards, board, points

function eventLine(event) {
  const line = make("li");
  if (event.seat !== null) line.append(make("b", "", game.seats[event.seat].name), " ");
  line.append(event.veiled === null || sees(event.seat) ? event.text : event.veiled);
  return line;
}

// A card: its effects as symbols and its name, in its colour; on hover, its drawing appears (cards.js).
function cardOf(card, className) {
  const face = card.face || card.name;
  const gives = drawingOf(face)?.content.querySelector(".gives")?.cloneNode(true);
  const name = make("span", "", card.name);
  if (card.note) name.append(make("small", "", `, ${card.note}`));
  const one = make("li", `card ${gives ? "drawn" : ""} ${card.note ? className : ""}`, ...(gives ? [gives] : []), name);
  if (card.kind !== null) one.style.setProperty("--kind", game.kinds[card.kind]);
  if (gives) [one.dataset.face, one.tabIndex] = [face, 0];
  return one;
}

function handOf(city, seat) {
  if (!sees(seat)) {
    return make("p", "nothing", `${number(city.hand.length, "card")}, closed`);
  }
  return make("ul", "cards", ...city.hand.map((card) => cardOf(game.live ? { ...card, note: "" } : card, "chosen")));
}

function cityOf(scene, seat) {
  const { label, policy, side } = game.seats[seat];
  const city = scene.cities[seat];
  const one = make("article", "city");
  one.style.setProperty("--seat", colourOf(seat));
  const heading = make("h3", "", label);
  const parts = [policy];
  if (seat === game.me) parts.push("you");
  if (city.points.length) parts.push(number(total(scene, seat), "point"));
  if (side >= 0 && chance(seat)) parts.push(`win chance ${chance(seat)}`);
  heading.append(make("small", "", parts.filter(Boolean).join(", ")));
  const facts = make("dl");
  for (const [fact, value] of Object.entries(city.facts)) {
    facts.append(make("div", "", make("dt", "", fact), make("dd", "", String(value))));
  }
  one.append(heading, facts);
  if (city.cards.length) {
    one.append(make("h4", "", game.cards), make("ul", "cards", ...city.cards.map((card) => cardOf(card, "new"))));
  }
  if (side >= 0 && city.hand.length) one.append(make("h4", "", game.hands), handOf(city, seat));
  return one;
}

// A part of a common board: its spaces, filled or still to be built, and each seat's share of it.
function boardRow(row) {
  const built = row.places.filter((disc) => disc === null).length;
  const finished = built === row.places.length;
  const spaces = row.places.map((disc) => {
    const [, count, what] = disc === null ? [] : disc.name.match(/^(\d*) ?(.*)$/);
    const icons = (disc && drawingOf(disc.face || disc.name)?.content.querySelectorAll(".plate .icon")) ?? [];
    const figure = make("span", "figure", ...(count ? [make("b", "", count)] : []), ...[...icons].map((icon) => icon.cloneNode(true)));
    const space = make("li", disc === null ? "space gone" : "space", ...(figure.childNodes.length ? [figure] : []), what ?? "built");
    if (disc !== null && disc.kind !== null) space.style.setProperty("--kind", game.kinds[disc.kind]);
    return space;
  });
  const owners = row.parts.flatMap((parts, seat) => {
    if (!parts) return [];
    const swatch = make("i");
    swatch.style.background = colourOf(seat);
    return [make("li", "", swatch, `${game.seats[seat].name} ${parts}`)];
  });
  const state = finished ? "finished" : `${built} of ${row.places.length} built`;
  const one = make("li", finished ? "row finished" : "row", make("h3", "", row.name, make("small", "", state)), make("ul", "places", ...spaces));
  if (owners.length) one.append(make("ul", "owners", ...owners));
  return one;
}

function standingRow(scene, seat) {
  const name = make("th", "kind", game.seats[seat].label);
  name.style.setProperty("--kind", colourOf(seat));
  name.scope = "row";
  const cells = scene.cities[seat].points.map((one) => make("td", "number", String(one)));
  const toWin = game.shares.length ? [make("td", "number", game.seats[seat].side < 0 ? "" : chance(seat))] : [];
  return make("tr", "", name, ...cells, make("td", "number total", String(total(scene, seat))), ...toWin);
}

// --- stepping

function show(place) {
  here = Math.max(0, Math.min(scenes.length - 1, place));
  const scene = scenes[here];
  const name = scene.label.startsWith(scene.chapter) || here === 0 ? scene.label : `${scene.chapter}, ${scene.label.toLowerCase()}`;
  if (find("moment").textContent !== name) find("moment").textContent = name;
  find("where").value = here;
  find("where").setAttribute("aria-valuetext", name);
  for (const id of ["first", "back"]) find(id).disabled = here === 0;
  for (const id of ["on", "last"]) find(id).disabled = here === scenes.length - 1;
  drawRing(scene);
  find("events").replaceChildren(...scene.events.map(eventLine));
  find("seats").replaceChildren(...scene.cities.map((_, seat) => cityOf(scene, seat)));
  find("rows")?.replaceChildren(...scene.board.map(boardRow));
  find("standing")?.replaceChildren(...scene.cities.map((_, seat) => standingRow(scene, seat)));
  if (find("points-of")) find("points-of").textContent = name;
  for (const cursor of document.querySelectorAll(".cursor")) cursor.style.left = `${(100 * here) / Math.max(1, scenes.length - 1)}%`;
  for (const line of document.querySelectorAll(".story > li")) {
    line.toggleAttribute("aria-current", Number(line.dataset.step) === here);
    if (line.hasAttribute("aria-current")) line.setAttribute("aria-current", "step");
  }
  document.dispatchEvent(new CustomEvent("moment", { detail: here }));
  if (game.live) return; // the address always shows the latest moment
  try {
    history.replaceState(null, "", here === game.home ? location.pathname + location.search : `#${here}`);
  } catch { /* a page opened from a file may have no history */ }
}

function chapterFrom(direction) {
  const starts = scenes.flatMap((scene, place) => (place === 0 || scene.chapter !== scenes[place - 1].chapter ? [place] : []));
  const ahead = starts.filter((place) => (direction > 0 ? place > here : place < here));
  if (direction > 0) return ahead.length ? ahead[0] : scenes.length - 1;
  return ahead.length ? ahead[ahead.length - 1] : 0;
}

const KEYS = {
  ArrowRight: () => here + 1,
  ArrowLeft: () => here - 1,
  PageDown: () => chapterFrom(1),
  PageUp: () => chapterFrom(-1),
  Home: () => 0,
  End: () => scenes.length - 1,
};

// Automatic play: one step per second, until the end or until somebody steps.
let timer = 0;
function pause() {
  clearInterval(timer);
  timer = 0;
  find("play")?.setAttribute("aria-pressed", "false");
}

function play() {
  if (timer) return pause();
  if (here === scenes.length - 1) show(0);
  find("play").setAttribute("aria-pressed", "true");
  timer = setInterval(() => {
    show(here + 1);
    if (here === scenes.length - 1) pause();
  }, 1200);
}
document.addEventListener("keydown", (event) => {
  if (!game) return;
  const inField = event.target.closest("input, select, textarea, .scroll");
  if (event.key === " " && !event.target.closest("button, a, summary, input, select, textarea")) {
    event.preventDefault();
    play();
  }
  if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey || inField) return;
  if (game.live && !event.key.startsWith("Arrow")) return; // other keys scroll the page
  event.preventDefault();
  if (timer) pause();
  show(KEYS[event.key]());
});

function showWords() {
  for (const words of document.querySelectorAll(".words")) {
    words.textContent = sees(Number(words.dataset.seat)) ? words.dataset.open : words.dataset.veiled;
  }
}

// A swipe over the changing part: left is forward, like turning a page.
let touched = null;
function swipes(section) {
  section.addEventListener("touchstart", (event) => {
    const inside = event.target.closest(".scroll");
    const scrolls = inside && inside.scrollWidth > inside.clientWidth;
    touched = event.touches.length === 1 && !scrolls ? event.touches[0] : null;
  }, { passive: true });
  section.addEventListener("touchend", (event) => {
    if (!touched) return;
    const [dx, dy] = [event.changedTouches[0].clientX - touched.clientX, event.changedTouches[0].clientY - touched.clientY];
    touched = null;
    if (Math.abs(dx) > 50 && Math.abs(dx) > 2 * Math.abs(dy)) show(here + (dx < 0 ? 1 : -1));
  }, { passive: true });
}

const resized = new ResizeObserver(() => { if (game) drawRing(scenes[here]); });

// Start with the game of the page, at the moment in the address; an updated page stays at the current moment.
function begin() {
  const data = find("game");
  const stays = game && game.live && here < scenes.length - 1 ? here : null;
  pause();
  game = data && JSON.parse(data.textContent);
  if (!game) return;
  [scenes, seatCount] = [game.scenes, game.seats.length];
  const go = { first: () => 0, back: () => here - 1, on: () => here + 1, last: () => scenes.length - 1 };
  for (const [id, to] of Object.entries(go)) find(id).addEventListener("click", () => show(to()));
  find("play").addEventListener("click", play);
  find("where").addEventListener("input", (event) => show(Number(event.target.value)));
  for (const jump of document.querySelectorAll(".jump")) {
    jump.addEventListener("click", () => {
      show(Number(jump.dataset.step));
      find("table").scrollIntoView();
    });
  }
  for (const field of document.querySelectorAll(".field")) {
    field.addEventListener("click", (event) => {
      const { left, width } = field.getBoundingClientRect();
      show(Math.round(((event.clientX - left) / width) * (scenes.length - 1)));
    });
  }
  document.querySelectorAll(".live").forEach(swipes);
  find("view")?.addEventListener("change", () => {
    showWords();
    show(here);
  });
  resized.disconnect();
  resized.observe(find("ring"));
  showWords();
  show(stays ?? placed());
}

function placed() {
  return location.hash && !game.live ? Number(location.hash.slice(1)) || 0 : game.home;
}

addEventListener("hashchange", () => { if (game) show(placed()); });
addEventListener("beforeprint", () => { if (game) drawRing(scenes[here]); });
document.addEventListener("renewed", begin);
begin();
