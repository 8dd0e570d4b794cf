// Everything works without this: it saves reloading. No data leaves the page and none is kept.

const SECOND = 1000;

// A part of the page that changes is asked for once a second; focus and scrolling stay.
async function poll(part) {
  const asked = part.dataset.poll;
  try {
    const answer = await fetch(asked, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    part.innerHTML = await answer.text(); // escaped by the app, and no script in it would run
    const next = answer.headers.get("x-next");
    if (next) return void location.replace(next);
    if (answer.headers.get("x-over")) return;
  } catch {
    part.querySelector("[role=status]")?.replaceChildren("The app does not answer. Is it still running?");
  }
  setTimeout(poll, SECOND, part);
}
for (const part of document.querySelectorAll("[data-poll]")) setTimeout(poll, SECOND / 2, part);

// Select many columns at once; with shift, all between two.
for (const button of document.querySelectorAll("[data-select]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    for (const box of button.form.querySelectorAll("[name=column]")) box.checked = button.dataset.select === "all";
  });
}
let last = null;
const boxes = [...document.querySelectorAll(".roles [name=column]")];
for (const box of boxes) {
  box.addEventListener("click", (event) => {
    if (event.shiftKey && last) {
      const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
      for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
    }
    last = box;
  });
}

// A command can be copied.
for (const shown of document.querySelectorAll(".command pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(shown.textContent.trim());
    button.textContent = "Copied";
  });
  shown.after(button);
}

// A file may be dropped where one can be chosen.
for (const place of document.querySelectorAll(".drop")) {
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.querySelector("[type=file]").files = event.dataTransfer.files;
  });
}
