// Tables: sort by heading, search and filter.
function keyOf(row, column) {
  return row.cells[column].dataset.key;
}

function compareKeys(one, other) {
  const numbers = [Number(one), Number(other)];
  return numbers.some(Number.isNaN) ? one.localeCompare(other) : numbers[0] - numbers[1];
}

function sortBy(table, heading) {
  const first = heading.classList.contains("number") ? "descending" : "ascending";
  const opposite = { ascending: "descending", descending: "ascending" };
  const current = heading.getAttribute("aria-sort");
  heading.parentElement.querySelector("[aria-sort]")?.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", current ? opposite[current] : first);
  sortRows(table);
}

function sortRows(table) {
  const heading = table.tHead.querySelector("[aria-sort]");
  if (!heading) return;
  const column = heading.cellIndex;
  const direction = heading.getAttribute("aria-sort");
  const body = table.tBodies[0];
  const known = [...body.rows].filter((row) => keyOf(row, column) !== "");
  const unknown = [...body.rows].filter((row) => keyOf(row, column) === "");
  const sign = direction === "ascending" ? 1 : -1;
  known.sort((one, other) => sign * compareKeys(keyOf(one, column), keyOf(other, column)));
  body.append(...known, ...unknown);
}

function filterRows(grid) {
  const words = (grid.querySelector("input[type=search]")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = [...grid.querySelectorAll("select[data-column]")].filter((select) => select.value);
  let shown = 0;
  for (const row of grid.querySelector("tbody").rows) {
    const text = row.textContent.toLowerCase();
    const matches = (select) => row.cells[select.dataset.column].textContent.trim() === select.value;
    row.hidden = !(words.every((word) => text.includes(word)) && chosen.every(matches));
    shown += row.hidden ? 0 : 1;
  }
  grid.querySelector("output").textContent = `${shown} ${shown === 1 ? "row" : "rows"}`;
}

// Slices: show the rows of a subset of the seats instead of all rows.

function cellOf([text, key, small, colour, range], like) {
  const cell = like.cloneNode(false);
  cell.dataset.key = key ?? text;
  if ("word" in cell.dataset) cell.dataset.word = text;
  if (like.dataset.face) cell.dataset.face = text;
  cell.removeAttribute("style");
  cell.classList.toggle("kind", Boolean(colour));
  if (colour) cell.style.setProperty("--kind", colour);
  cell.classList.toggle("range", Boolean(range));
  cell.classList.toggle("clear", Boolean(range?.[4]));
  for (const [place, name] of range ? ["from", "to", "here", "base"].entries() : []) {
    cell.style.setProperty(`--${name}`, range[place] / 100);
  }
  cell.append(text);
  if (small) {
    const below = document.createElement("small");
    below.textContent = small;
    cell.append(" ", below);
  }
  return cell;
}

function setUpSlices(grid, table) {
  const select = grid.querySelector("select.slice");
  if (!select) return;
  const body = table.tBodies[0], caption = table.caption.textContent;
  const whole = [...body.rows], like = [...whole[0].cells];
  const parts = JSON.parse(grid.querySelector("script.parts").textContent);
  select.parentElement.hidden = false;
  select.addEventListener("change", () => {
    const place = select.selectedIndex - 1;  // the first option is the whole table
    const rowOf = (cells) => {
      const row = document.createElement("tr");
      row.append(...cells.map((cell, column) => cellOf(cell, like[column])));
      return row;
    };
    body.replaceChildren(...(place < 0 ? whole : parts[place].map(rowOf)));
    grid.dataset.slice = place < 0 ? "" : select.value;
    table.caption.textContent = grid.dataset.slice ? `${caption} Only ${grid.dataset.slice}.` : caption;
    sortRows(table);
  });
}

for (const grid of document.querySelectorAll(".grid")) {
  const table = grid.querySelector("table");
  setUpSlices(grid, table);
  for (const heading of table.tHead.rows[0].cells) {
    heading.querySelector("button")?.addEventListener("click", () => sortBy(table, heading));
  }
  const tools = grid.querySelector(".tools");
  if (tools) {
    for (const event of ["input", "change"]) tools.addEventListener(event, () => filterRows(grid));
    tools.addEventListener("submit", (event) => event.preventDefault());
  }
}

// Show the numbers of the mark under the pointer.
const tip = document.getElementById("tip");
const MARK = '.chart [role="graphics-symbol"][aria-label]:not([aria-roledescription="axis"], [aria-roledescription="legend"])';

function placeTip(event) {
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - width - 8);
  const above = event.clientY - height - 12;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${above < 8 ? event.clientY + 18 : above}px`;
}

function nameOf(mark) {
  return mark.getAttribute("aria-label").split(":")[0];
}

let marked = null;
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest?.(MARK);
  tip.hidden = !mark;
  if (mark && mark !== marked) {
    const drawing = drawingOf(nameOf(mark));
    tip.replaceChildren(mark.getAttribute("aria-label"), ...(drawing ? [drawing.content.cloneNode(true)] : []));
  }
  marked = mark;
  if (mark) placeTip(event);
});

// A click on a mark scrolls to its row and ticks it if rows can be compared.
document.addEventListener("click", (event) => {
  const mark = event.target.closest?.(MARK);
  const head = mark && [...document.querySelectorAll("tbody th")].find((one) => one.dataset.key === nameOf(mark));
  if (!head || !head.getClientRects().length) return;
  const box = head.querySelector("input[type=checkbox]");
  if (box) box.checked = true;
  for (const row of document.querySelectorAll("tr.found")) row.classList.remove("found");
  head.parentElement.classList.add("found");
  head.scrollIntoView({ block: "center" });
});
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

// Highlight the section that is in view.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) links.get(target.id)?.classList.toggle("here", isIntersecting);
}, { rootMargin: "-30% 0px -60% 0px" });
for (const section of document.querySelectorAll("section[id]")) watcher.observe(section);

// Tables: a hint if they extend beyond the screen, and a download of their rows.
const wide = new ResizeObserver((entries) => {  // after the layout, to avoid forcing one while the page loads
  for (const { target } of entries) {
    const scroll = target.closest(".scroll");
    scroll.parentElement.toggleAttribute("data-more", scroll.scrollWidth > scroll.clientWidth + 1);
  }
});
for (const scroll of document.querySelectorAll(".grid > .scroll")) {
  wide.observe(scroll);
  if (scroll.firstElementChild) wide.observe(scroll.firstElementChild);
}

function quoted(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvOf(table) {
  const headings = [...table.tHead.rows[0].cells].map((cell) => {
    const unit = cell.querySelector(".unit")?.textContent;
    return cell.querySelector("button").textContent.trim() + (unit ? ` [${unit}]` : "");
  });
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
  const ranged = headings.map((_, column) => rows.some((cells) => cells[column].querySelector("small")));
  const names = headings.flatMap((name, column) => (ranged[column] ? [name, `${name}: 95% interval`] : [name]));
  const lines = rows.map((cells) =>
    cells.flatMap((cell, column) => {
      const words = cell.querySelector("small") ? cell.firstChild : cell;
      const value = cell.classList.contains("number") ? cell.dataset.key : words.textContent.trim();
      return ranged[column] ? [value, cell.querySelector("small")?.textContent.trim() ?? ""] : [value];
    }),
  );
  return [names, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
}

for (const button of document.querySelectorAll("button.download")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const grid = button.closest(".grid");
    const link = document.createElement("a");
    link.download = `${[grid.id, ...(grid.dataset.slice ?? "").split(" ").filter(Boolean)].join("-")}.csv`;
    link.href = URL.createObjectURL(new Blob([csvOf(grid.querySelector("table"))], { type: "text/csv" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}
