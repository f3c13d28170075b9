// Tables: sorted by their headings, searched and filtered.
function keyOf(row, column) {
  return row.cells[column].dataset.key;
}

function compareKeys(one, other) {
  const numbers = [Number(one), Number(other)];
  return numbers.some(Number.isNaN) ? one.localeCompare(other) : numbers[0] - numbers[1];
}

function sortBy(table, heading) {
  const column = heading.cellIndex;
  const first = heading.classList.contains("number") ? "descending" : "ascending";
  const opposite = { ascending: "descending", descending: "ascending" };
  const current = heading.getAttribute("aria-sort");
  const direction = current ? opposite[current] : first;
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction);
  const body = table.tBodies[0];
  const known = [...body.rows].filter((row) => keyOf(row, column) !== "");
  const unknown = [...body.rows].filter((row) => keyOf(row, column) === "");
  const sign = direction === "ascending" ? 1 : -1;
  known.sort((one, other) => sign * compareKeys(keyOf(one, column), keyOf(other, column)));
  body.append(...known, ...unknown);
}

function filterRows(grid) {
  const words = (grid.querySelector("input[type=search]")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = [...grid.querySelectorAll("select")].filter((select) => select.value);
  let shown = 0;
  for (const row of grid.querySelector("tbody").rows) {
    const text = row.textContent.toLowerCase();
    const matches = (select) => row.cells[select.dataset.column].textContent.trim() === select.value;
    row.hidden = !(words.every((word) => text.includes(word)) && chosen.every(matches));
    shown += row.hidden ? 0 : 1;
  }
  grid.querySelector("output").textContent = `${shown} ${shown === 1 ? "row" : "rows"}`;
}

for (const grid of document.querySelectorAll(".grid")) {
  const table = grid.querySelector("table");
  for (const heading of table.tHead.rows[0].cells) {
    heading.querySelector("button").addEventListener("click", () => sortBy(table, heading));
  }
  const tools = grid.querySelector(".tools");
  if (tools) {
    for (const event of ["input", "change"]) tools.addEventListener(event, () => filterRows(grid));
    tools.addEventListener("submit", (event) => event.preventDefault());
  }
}

// Numbers of a mark under the pointer.
const tip = document.getElementById("tip");
const MARK = '.chart [role="graphics-symbol"][aria-label]:not([aria-roledescription="axis"], [aria-roledescription="legend"])';

function placeTip(event) {
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - width - 8);
  const above = event.clientY - height - 12;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${above < 8 ? event.clientY + 18 : above}px`;
}

document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest?.(MARK);
  tip.hidden = !mark;
  if (mark) {
    tip.textContent = mark.getAttribute("aria-label");
    placeTip(event);
  }
});
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

// Where in the page we are.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) links.get(target.id)?.classList.toggle("here", isIntersecting);
}, { rootMargin: "-30% 0px -60% 0px" });
for (const section of document.querySelectorAll("section[id]")) watcher.observe(section);

// Tables: a word where they go on to the side, and their rows as a file.
function tellMore() {
  for (const grid of document.querySelectorAll(".grid")) {
    const scroll = grid.querySelector(".scroll");
    grid.toggleAttribute("data-more", scroll.scrollWidth > scroll.clientWidth + 1);
  }
}

function quoted(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvOf(table) {
  const headings = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
  const ranged = headings.map((_, column) => rows.some((cells) => cells[column].querySelector("small")));
  const names = headings.flatMap((name, column) => (ranged[column] ? [name, `${name}: 95 % interval`] : [name]));
  const lines = rows.map((cells) =>
    cells.flatMap((cell, column) => {
      const words = (cell.querySelector(".value") ?? cell).textContent.trim();
      const value = cell.classList.contains("number") ? cell.dataset.key : words;
      return ranged[column] ? [value, cell.querySelector("small")?.textContent.trim() ?? ""] : [value];
    }),
  );
  return [names, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
}

for (const button of document.querySelectorAll(".download")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const grid = button.closest(".grid");
    const link = document.createElement("a");
    link.download = `${grid.id}.csv`;
    link.href = URL.createObjectURL(new Blob([csvOf(grid.querySelector("table"))], { type: "text/csv" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}
addEventListener("resize", tellMore);
for (const one of document.querySelectorAll("details")) one.addEventListener("toggle", tellMore);
tellMore();
