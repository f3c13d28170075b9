// The page of a table that is still being computed: request the table, then show it or the error message.
try {
  const reply = await fetch(location.href, { headers: { "X-Wait": "1" } });
  if (reply.ok) {
    location.reload();
  } else {
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
  }
} catch {
  document.getElementById("waiting").textContent = "The connection is lost. Reload the page to continue.";
}
