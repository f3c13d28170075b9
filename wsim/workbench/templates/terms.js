// Explains statistical terms and terms of wsim when they are pointed at or have the focus.
const TERMS = {
  "confidence interval": "A range that contains the true value in 95 of 100 studies like this one.",
  interval: "A range that contains the true value in 95 of 100 studies like this one.",
  deal: "One shuffle with its boards and seats. All arms play the same deals, so most of the luck cancels in the difference.",
  deals: "Shuffles with their boards and seats. All arms play the same deals, so most of the luck cancels in the difference.",
  baseline: "The unchanged game, with which the variant is compared.",
  variant: "The changed game.",
  pocock: "A method for looking at the data several times; it stops early if the effect is large.",
  obrien_fleming: "A method for looking at the data several times; it stops early only for very large effects, and its final interval is shorter.",
  alpha: "The accepted probability of reporting an effect that does not exist.",
  "fair share": "The win share of each seat if all seats were equally strong: one in four with four players.",
  "win share": "The fraction of games won; a shared victory counts as a fraction of a win.",
  policy: "A rule or program that chooses the moves of a simulated player.",
  policies: "Rules or programs that choose the moves of simulated players.",
  worth: "The win share that a seat gains from the item that it wants, compared with its next best choice. Chance decides who gets the item, so the effect is causal.",
  seat: "A place at the table. Tables and commands number seats from 0.",
  budget: "The maximum number of deals; playing stops earlier if the answer is clear.",
  "variance reduction": "The fraction of the variance that cancels because both games are played on the same deals.",
  metric: "The quantity that is compared.",
};
const NAMES = Object.keys(TERMS).sort((one, other) => other.length - one.length);
const PATTERN = new RegExp(`\\b(${NAMES.join("|")})\\b`, "i");
const tip = document.getElementById("tip");

function explain(node, known) {
  const match = PATTERN.exec(node.textContent);
  if (!match || node.parentElement.closest("a, button, summary, code, pre, .term, label, svg")) return;
  const name = match[1].toLowerCase();
  const rest = node.splitText(match.index + match[1].length);
  if (!known.has(name)) {
    known.add(name);
    const word = node.splitText(match.index);
    const term = document.createElement("dfn");
    term.className = "term";
    term.tabIndex = 0;
    term.dataset.term = name;
    word.replaceWith(term);
    term.append(word);
    const about = term.appendChild(document.createElement("span"));
    about.className = "sr";
    about.textContent = ` (${TERMS[name]})`;
  }
  explain(rest, known);
}

function show(term) {
  tip.textContent = TERMS[term.dataset.term];
  tip.hidden = false;
  const { left, bottom, top } = term.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  tip.style.top = `${bottom + height + 8 < innerHeight ? bottom + 6 : top - height - 6}px`;
}

for (const section of document.querySelectorAll("main section")) {
  const known = new Set();
  for (const text of section.querySelectorAll(".intro, .field > small")) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const node of nodes) explain(node, known);
  }
}
for (const term of document.querySelectorAll(".term")) {
  term.addEventListener("pointerenter", () => show(term));
  term.addEventListener("focus", () => show(term));
  term.addEventListener("pointerleave", () => { tip.hidden = true; });
  term.addEventListener("blur", () => { tip.hidden = true; });
}
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
