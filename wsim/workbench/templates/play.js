// Waits for a change (data-changes: an address that answers when there is one), then replaces the page's content.
"use strict";
(() => {
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  said.className = "refused";
  said.hidden = true;
  const sleep = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

  async function answered(address) {
    const reply = await fetch(address);
    if (reply.status >= 500) throw new Error(reply.statusText); // the server is stopping
    return reply;
  }

  async function renew() {
    const reply = await answered(location.pathname + (document.querySelector("[data-query]") ? location.search : ""));
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    const focused = document.activeElement?.id;
    const open = [...document.querySelectorAll("details")].map((one) => one.open);
    document.querySelector("main").replaceWith(fresh.querySelector("main"));
    document.querySelectorAll("details").forEach((one, place) => { one.open ||= open[place] ?? false; });
    if (focused) document.getElementById(focused)?.focus();
    const heading = document.querySelector("#choose h2, #end h2");
    said.className = "sr";
    said.textContent = heading?.textContent ?? "The page has changed";
    said.hidden = false;
    document.dispatchEvent(new Event("renewed"));
  }

  async function wait() {
    for (;;) {
      const box = document.querySelector("[data-changes]");
      if (!box) return;
      try {
        const mark = box.dataset.changes.includes("?") ? "&" : "?";
        const reply = await answered(`${box.dataset.changes}${mark}since=${box.dataset.version}`);
        if (!reply.ok) return void await renew();
        const { version } = await reply.json();
        said.hidden = true;
        if (String(version) === box.dataset.version) continue;
        if ("reload" in box.dataset) return void location.reload(); // the new content has its own scripts
        await renew();
      } catch {
        said.className = "refused";
        said.textContent = "The connection is lost; trying again.";
        said.hidden = false;
        await sleep(2000);
      }
    }
  }

  // Shows how long each seat has been choosing; the server gives the time up to when the page was rendered.
  const shownAt = new WeakMap();
  function tick() {
    for (const clock of document.querySelectorAll(".clock")) {
      if (!shownAt.has(clock)) shownAt.set(clock, Date.now());
      const seconds = Number(clock.dataset.waited) + Math.floor((Date.now() - shownAt.get(clock)) / 1000);
      clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      clock.classList.toggle("late", seconds > Number(clock.dataset.clock));
    }
  }

  // Shows as many name fields as there are players.
  const players = document.getElementById("players");
  function places() {
    document.querySelectorAll(".place").forEach((place, index) => { place.hidden = index >= (Number(players.value) || 7) && !place.querySelector("input").value; });
  }
  players?.addEventListener("input", places);
  if (players) places();

  document.querySelector("main").before(said);
  tick();
  setInterval(tick, 1000);
  wait();
})();
