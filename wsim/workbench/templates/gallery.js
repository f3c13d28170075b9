// The gallery: chips and words filter immediately, and the address stores them.
const form = document.getElementById("filter");
const facets = [...form.querySelectorAll("[data-facet]")].map((one) => one.dataset.facet);
const cards = [...document.querySelectorAll("#cards > li")];
const boards = [...document.querySelectorAll("#boards .boards > li")];
const clear = document.getElementById("clear");
let keeping = 0;

function chosen(facet) {
  return [...form.querySelectorAll(`[name="${facet}"]:checked`)].map((one) => one.value);
}

function filter() {
  const wanted = new Map(facets.map((facet) => [facet, chosen(facet)]));
  const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (card, facet) => (card.getAttribute(`data-${facet}`) ?? "").split("|");
  const count = (faces) => { // shows those that fit, and returns how many
    let shown = 0;
    for (const face of faces) {
      const fits = [...wanted].every(([facet, values]) => !values.length || has(face, facet).some((one) => values.includes(one)));
      face.hidden = !(fits && words.every((word) => face.dataset.text.includes(word)));
      face.inert = face.hidden; // it keeps its layout (see cards.css)
      shown += face.hidden ? 0 : 1;
    }
    return shown;
  };
  const [ofCards, ofBoards] = [count(cards), count(boards)];
  const some = ofBoards && ofBoards < boards.length ? `, ${ofBoards} of ${boards.length} boards` : "";
  form.querySelector("output").textContent = `${ofCards} of ${cards.length} cards${some}`;
  document.getElementById("boards")?.toggleAttribute("hidden", !ofBoards); // boards below few cards would be drawn
  clear.hidden = !words.length && [...wanted.values()].every((values) => !values.length);
  clearTimeout(keeping);
  requestAnimationFrame(() => { keeping = setTimeout(keep, 0, wanted, words); }); // after the cards are painted
}

function keep(wanted, words) {
  const address = new URL(location);
  for (const [facet, values] of [...wanted, ["q", words.length ? [form.elements.q.value.trim()] : []]]) {
    address.searchParams.delete(facet);
    for (const value of values) address.searchParams.append(facet, value);
  }
  try {
    history.replaceState(null, "", address);
  } catch { /* the address of a page on disk cannot be changed */ }
}

form.addEventListener("input", filter);
for (const select of form.querySelectorAll("select")) select.addEventListener("change", () => form.submit());
clear.addEventListener("click", () => {
  for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = false;
  form.elements.q.value = "";
  filter();
});
filter();
