// Requests the finding of each study when its row comes into view, one at a time; runs come last, as they take longer.
const waiting = [];
let busy = false;

async function next() {
  if (busy) return;
  const quick = waiting.findIndex((box) => !("slow" in box.dataset));
  const [box] = waiting.splice(Math.max(quick, 0), 1);
  if (!box) return;
  busy = true;
  try {
    const reply = await fetch(box.dataset.finding);
    if (reply.ok) {
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      if (page.body.childElementCount) box.replaceChildren(...page.body.childNodes);
    }
  } catch {
    // the server has stopped: the row stays without a finding
  }
  box.removeAttribute("data-finding");
  busy = false;
  next();
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    waiting.push(target);
  }
  next();
});
for (const box of document.querySelectorAll("[data-finding]")) seen.observe(box);

const beside = document.getElementById("beside");
if (beside) {
  const button = beside.querySelector("button");
  const ticks = [...document.querySelectorAll("input[form=beside]")];
  const count = () => { button.disabled = !ticks.some((tick) => tick.checked); };
  for (const tick of ticks) tick.addEventListener("change", count);
  count();
}
