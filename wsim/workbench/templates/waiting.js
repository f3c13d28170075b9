// The page of a table that is still summed up: ask for it, then show it; a refusal is shown in place.
try {
  const reply = await fetch(location.href, { headers: { "X-Wait": "1" } });
  if (reply.ok) {
    location.reload();
  } else {
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
  }
} catch {
  document.getElementById("waiting").textContent = "The connection is lost. Load the page again to go on.";
}
