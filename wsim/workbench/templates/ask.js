// Shows a question in progress: progress and intervals arrive as events, the figures of a run as parts of its page.
const asked = document.getElementById("asked");
const figures = document.getElementById("so-far");
const GROWTH = 1.5;  // the figures are redrawn when the number of games has grown by this factor
let drawn = 0;  // number of games in the figures shown
let drawing = false;

function inWords(seconds) {
  if (seconds < 60) return `${Math.max(1, seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

async function draw(last) {
  if (!figures || drawing) return;
  drawing = true;
  try {
    const reply = await fetch(figures.dataset.part);
    if (reply.status === 200) {
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const part = page.querySelector("[data-games]");
      const games = Number(part.dataset.games);
      if (last || games >= GROWTH * drawn) {
        drawn = games;
        figures.querySelector("div").replaceChildren(part);
        figures.hidden = false;
      }
    }
  } catch {
    // the connection is lost; the event source reports it
  }
  drawing = false;
}

function show(record) {
  document.getElementById("doing").textContent = record.stopping ? "stopping" : record.doing || record.state;
  const bar = document.getElementById("progress");
  if (record.total) {
    bar.max = record.total;
    bar.value = record.done;
  } else {
    bar.removeAttribute("value");
  }
  const of = record.total ? `${record.done.toLocaleString("en")} of ${record.total.toLocaleString("en")}` : "";
  document.getElementById("count").textContent = of;
  const most = record.said.length || record.deals !== null ? "at most" : "about";
  document.getElementById("left").textContent = record.left === null ? "" : `${of && ", "}${most} ${inWords(record.left)} left`;
  if (record.done >= GROWTH * drawn) draw(false);
  if (!record.said.length) return;
  document.getElementById("effects").hidden = false;
  document.getElementById("deals").textContent = `After ${record.deals.toLocaleString("en")} deals`;
  const lines = record.said.map((sentence) => {
    const line = document.createElement("li");
    line.textContent = `${sentence[0].toUpperCase()}${sentence.slice(1)}.`;
    return line;
  });
  document.querySelector("#effects ul").replaceChildren(...lines);
}

if (asked.dataset.over === "0") {
  const source = new EventSource(asked.dataset.events);
  const lost = document.getElementById("lost");
  source.addEventListener("message", (event) => {
    lost.hidden = true;
    const record = JSON.parse(event.data);
    if (record.over) {
      source.close();
      location.reload();
    } else {
      show(record);
    }
  });
  source.addEventListener("error", () => { lost.hidden = false; });
} else {
  draw(true);
}
