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

// A file may be dropped where one can be chosen; it is sent at once.
for (const place of document.querySelectorAll(".drop")) {
  const over = (is) => (event) => {
    event.preventDefault();
    place.classList.toggle("over", is);
  };
  place.addEventListener("dragover", over(true));
  place.addEventListener("dragleave", over(false));
  place.addEventListener("drop", (event) => {
    over(false)(event);
    place.querySelector("[type=file]").files = event.dataTransfer.files;
    place.requestSubmit(place.querySelector("button"));
  });
}
// What was sent shows it; the page that comes back shows its buttons anew.
document.addEventListener("submit", (event) => event.submitter?.classList.add("sent"));
addEventListener("pageshow", () => document.querySelectorAll(".sent").forEach((each) => each.classList.remove("sent")));

// A form that counts something again does so when one of its boxes changes: jobs are waited for here.
for (const form of document.querySelectorAll("form[data-live]")) {
  let waits = 0;
  let asked = 0;
  form.addEventListener("change", () => {
    clearTimeout(waits);
    waits = setTimeout(live, SECOND / 2, form, () => ++asked, (number) => number === asked);
  });
}
async function live(form, begin, isLast) {
  const number = begin();
  const place = document.querySelector(form.dataset.live);
  const query = new URLSearchParams(new FormData(form));
  place.setAttribute("aria-busy", "true");
  try {
    let answer = await fetch(`${form.action}?${query}`);
    for (let job; (job = new URL(answer.url).pathname.match(/^\/job\/\d+$/)); ) {
      if (!isLast(number)) return;
      await new Promise((over) => setTimeout(over, SECOND / 3));
      const part = await fetch(`${job[0]}/part`);
      const next = part.headers.get("x-next");
      if (next === job[0]) return void location.assign(next);
      if (next) answer = await fetch(next);
    }
    if (!isLast(number)) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...page.querySelector(form.dataset.live).childNodes);
    history.replaceState(null, "", `?${query}`);
  } finally {
    if (isLast(number)) place.removeAttribute("aria-busy");
  }
}
