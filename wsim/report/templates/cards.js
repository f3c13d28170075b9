// Show the card of an element with data-face on hover or focus, or on a tap if the element is not a link.
const faceTip = document.createElement("div");
faceTip.id = "face-tip";
faceTip.setAttribute("role", "presentation");
faceTip.hidden = true;
document.body.append(faceTip);
let faceOf = null;

function drawingOf(name) {
  return [...document.querySelectorAll("template[data-face-of]")].find((one) => one.dataset.faceOf === name);
}

function showFace(element) {
  const drawing = element && drawingOf(element.dataset.face);
  faceOf = drawing ? element : null;
  faceTip.hidden = !drawing;
  if (!drawing) return;
  faceTip.replaceChildren(drawing.content.cloneNode(true));
  const text = document.createRange();
  text.selectNodeContents(element);
  const [box, { width, height }] = [text.getBoundingClientRect(), faceTip.getBoundingClientRect()];
  const right = box.right + 12 + width < innerWidth ? box.right + 12 : box.left - width - 12;
  const beside = right >= 8;
  const left = beside ? right : Math.max(8, Math.min(box.left, innerWidth - width - 8));
  const top = beside ? box.top - 20 : box.bottom + height + 8 < innerHeight ? box.bottom + 8 : box.top - height - 8;
  faceTip.style.left = `${left}px`;
  faceTip.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
}

function faceAt(event) {
  return event.target.closest?.("[data-face]") ?? null;
}

document.addEventListener("pointermove", (event) => {
  if (event.pointerType !== "touch" && faceAt(event) !== faceOf) showFace(faceAt(event));
});
document.addEventListener("focusin", (event) => showFace(event.target.matches(":focus-visible") ? faceAt(event) : null));
document.addEventListener("focusout", () => showFace(null));
document.addEventListener("click", (event) => {
  if (!event.target.closest("a, button")) showFace(faceAt(event) === faceOf ? null : faceAt(event));
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") showFace(null); });
document.addEventListener("scroll", () => showFace(null), { passive: true, capture: true });
