// The form of a question: choices from lists, mistakes next to their fields while typing, a preview and a forecast.
const form = document.querySelector("form[data-check]");
const QUICK = 250;  // milliseconds after a keystroke: check every value
const DEEP = 900;  // milliseconds: also prepare the games
const MAX_SHOWN = 60;
let newest = 0;

function listInto(list, texts) {
  list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

function inWords(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} s`;
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 3600)} h`;
}

function show(checked, deep) {
  for (const box of form.querySelectorAll("[data-field]")) {
    const sentences = checked.mistakes[box.dataset.field] ?? [];
    const wrong = box.querySelector(".wrong");
    if (!wrong || (!deep && !sentences.length && wrong.dataset.deep)) continue;
    wrong.textContent = sentences.join(". ");
    wrong.dataset.deep = deep && sentences.length ? "1" : "";
    const field = box.querySelector("input:not([type=search]), textarea, select");
    if (sentences.length) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (sentences.length) box.closest("details:not(.picker)")?.setAttribute("open", "");
  }
  const others = document.getElementById("others");
  others.textContent = (checked.mistakes[""] ?? []).join(". ");
  others.hidden = !others.textContent;
  const preview = document.getElementById("preview");
  listInto(preview.querySelector("ul"), checked.preview);
  preview.hidden = !checked.preview.length;
  const forecast = document.getElementById("forecast");
  if (deep || Object.keys(checked.mistakes).length) {
    forecast.textContent = checked.seconds === null ? "" : `Takes at most about ${inWords(checked.seconds)} on this machine.`;
  }
}

async function check(deep) {
  const number = (newest += 1);
  const fields = new URLSearchParams(new FormData(form));
  fields.append("deep", deep ? "1" : "");
  try {
    const reply = await fetch(form.dataset.check, { method: "POST", body: fields });
    if (reply.ok && number === newest) show(await reply.json(), deep);
  } catch {
    // the server has stopped; submitting the form will show this
  }
}

// The address keeps what is filled in, for a reload, the way back and links; it never allows code to run.
const rendered = new FormData(form);
const kept = new Set(new URLSearchParams(location.search).keys());
function keep() {
  const filled = [...new FormData(form)].filter(
    ([name, value]) => name !== "trust" && value.trim() && (kept.has(name) || value !== rendered.get(name)),
  );
  filled.forEach(([name]) => kept.add(name));
  history.replaceState(null, "", filled.length ? `?${new URLSearchParams(filled)}` : location.pathname);
}

const timers = [];
function soon() {
  timers.splice(0).forEach(clearTimeout);
  timers.push(setTimeout(keep, QUICK), setTimeout(check, QUICK, false), setTimeout(check, DEEP, true));
}

function put(field, value, several) {
  const current = field.value.trim();
  if (several === "lines") field.value = current ? `${current}\n${value}` : value;
  else if (several === "commas") field.value = current ? `${current},${value}` : value;
  else field.value = value;
  field.focus();
  const equals = value.lastIndexOf("=");
  if (equals >= 0) field.setSelectionRange(field.value.length - value.length + equals + 1, field.value.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

for (const picker of document.querySelectorAll("details.picker")) {
  const search = picker.querySelector("input");
  const list = picker.querySelector("ul");
  const field = document.getElementById(picker.dataset.into);
  let choices = null;
  picker.hidden = false;

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = choices.filter(({ value, label, note }) => {
      const text = `${value} ${label} ${note}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const items = fits.slice(0, MAX_SHOWN).map(({ value, label, note, card }) => {
      const item = document.createElement("li");
      const button = item.appendChild(document.createElement("button"));
      button.type = "button";
      button.append(label);
      if (card) {
        button.dataset.face = card; // drawn while the button is pointed at or has the focus (cards.js)
        const drawing = drawingOf(card)?.content.querySelector(".face");
        if (drawing) button.style.setProperty("--kind", drawing.style.getPropertyValue("--kind"));
      }
      if (note) button.appendChild(Object.assign(document.createElement("small"), { textContent: note }));
      button.addEventListener("click", () => {
        put(field, value, picker.dataset.several);
        if (!picker.dataset.several) picker.open = false;
      });
      return item;
    });
    if (fits.length > MAX_SHOWN) {
      items.push(Object.assign(document.createElement("li"), { textContent: `and ${fits.length - MAX_SHOWN} more; search to narrow the list` }));
    }
    if (!fits.length) items.push(Object.assign(document.createElement("li"), { textContent: "no matches" }));
    list.replaceChildren(...items);
  }

  async function open() {
    if (!picker.open) return;
    const of = { picker: picker.dataset.picker };
    for (const name of ["game", "ruleset"]) of[name] = form.elements[name]?.value ?? "";
    const reply = await fetch(`/choices?${new URLSearchParams(of)}`);
    choices = reply.ok ? await reply.json() : [];
    filter();
    search.focus();
    if (choices.some(({ card }) => card && !drawingOf(card))) {
      const drawn = await fetch(`/drawings?${new URLSearchParams(of)}`);
      if (drawn.ok) {
        const page = new DOMParser().parseFromString(await drawn.text(), "text/html");
        document.body.append(...page.head.childNodes, ...page.body.childNodes);
        filter(); // now with the cards
      }
    }
  }

  picker.addEventListener("toggle", open);
  search.addEventListener("input", (event) => { event.stopPropagation(); if (choices) filter(); });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      list.querySelector("button")?.click();
    }
  });
}

form.addEventListener("input", soon);
form.addEventListener("change", soon);
form.addEventListener("submit", () => { timers.splice(0).forEach(clearTimeout); keep(); });
const filled = [...form.querySelectorAll(".field")].some((box) => {
  const field = box.querySelector("input:not([type=search]), textarea");
  return field && field.name !== "out" && (field.type === "checkbox" ? field.checked : field.value.trim());
});
if (filled) check(true);
