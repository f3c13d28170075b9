// Shows the values of the decisions at the moment that the board shows, and adds new values as they are computed.
let here = 0;
const sleep = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

// Draws cards next to their moves, from the drawings that the page contains once.
function draw(article) {
  for (const place of article.querySelectorAll("[data-card]:not(.drawn)")) {
    const drawing = document.querySelector(`template[data-face-of="${CSS.escape(place.dataset.card)}"]`);
    if (!drawing) continue;
    place.classList.add("drawn");
    place.prepend(drawing.content.cloneNode(true));
  }
}

function choose() {
  let shown = 0;
  for (const article of document.querySelectorAll("#values > article")) {
    article.hidden = article.dataset.step !== undefined && Number(article.dataset.step) !== here;
    if (article.hidden) continue;
    shown += 1;
    draw(article);
  }
  document.getElementById("none").hidden = shown > 0;
}

document.addEventListener("moment", (event) => {
  here = event.detail;
  choose();
});

async function fill() {
  for (;;) {
    const section = document.getElementById("values");
    if (!("running" in section.dataset)) return;
    try {
      const reply = await fetch(`${section.dataset.changesAt}&since=${section.dataset.version}`);
      if (!reply.ok) return;
      const { version } = await reply.json();
      if (String(version) === section.dataset.version) continue;
      const text = await (await fetch(section.dataset.values)).text();
      const fresh = new DOMParser().parseFromString(text, "text/html");
      const focused = document.activeElement?.closest("#values a, #values button")?.getAttribute("aria-label");
      section.replaceWith(...fresh.querySelectorAll("#values, #cost"));
      choose();
      if (focused) document.querySelector(`#values [aria-label="${CSS.escape(focused)}"]`)?.focus();
      await sleep(1500);
    } catch {
      await sleep(2000); // the server does not answer: try again
    }
  }
}

choose();
fill();
