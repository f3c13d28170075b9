// A question as it is answered: progress and intervals come as events; the page itself says the rest.
const asked = document.getElementById("asked");

function digits(value) {
  return value === null ? "" : value.toFixed(Math.abs(value) < 1 ? 4 : 3).replace("-", "\u2212");
}

function show(record) {
  document.getElementById("doing").textContent = record.doing || record.state;
  const bar = document.getElementById("progress");
  bar.max = record.total || 1;
  bar.value = record.done;
  const of = record.total ? `${record.done.toLocaleString("en")} of ${record.total.toLocaleString("en")}` : "";
  document.getElementById("count").textContent = of;
  if (!record.effects.length) return;
  document.getElementById("effects").hidden = false;
  document.getElementById("deals").textContent = `After ${record.deals.toLocaleString("en")} deals`;
  const rows = record.effects.map(([value, low, high], place) => {
    const row = document.createElement("tr");
    const name = row.appendChild(document.createElement("th"));
    name.scope = "row";
    name.textContent = record.effects.length > 1 ? place + 1 : "the effect";
    for (const text of [digits(value), low === null || high === null ? "not yet" : `${digits(low)} to ${digits(high)}`]) {
      const cell = row.appendChild(document.createElement("td"));
      cell.className = "number";
      cell.textContent = text;
    }
    return row;
  });
  document.querySelector("#effects tbody").replaceChildren(...rows);
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
}
