// Counts of a release, cross-filtered: all of it is here, nothing is asked of anybody.
const about = JSON.parse(document.getElementById("data").textContent);
const place = document.getElementById("explore");
const bytes = about.content
  ? Uint8Array.from(atob(about.content), (each) => each.charCodeAt(0)).buffer
  : await (await fetch(place.dataset.from)).arrayBuffer();
const weights = new Uint32Array(bytes, 0, about.n);
const columns = about.values.map((_, at) => new Uint8Array(bytes, 4 * about.n + at * about.n, about.n));
const chosen = about.values.map(() => new Set());
const bars = [...place.querySelectorAll("a[data-column]")];
const isChosen = (bar) => bar.hasAttribute("aria-current");
for (const bar of bars) if (isChosen(bar)) chosen[+bar.dataset.column].add(+bar.dataset.code);

function count() {
  const failed = new Uint8Array(about.n);
  const failing = chosen.map((values, at) => {
    if (!values.size) return null;
    const lets = Uint8Array.from({ length: 256 }, (_, code) => +values.has(code));
    const fails = new Uint8Array(about.n), codes = columns[at];
    for (let row = 0; row < about.n; row++) failed[row] += fails[row] = 1 - lets[codes[row]];
    return fails;
  });
  let all = 0;
  for (let row = 0; row < about.n; row++) if (!failed[row]) all += weights[row];
  const counts = columns.map((codes, at) => {
    const found = new Float64Array(256), own = failing[at];
    for (let row = 0; row < about.n; row++) if (failed[row] === (own ? own[row] : 0)) found[codes[row]] += weights[row];
    return found;
  });
  return [counts, all];
}

const number = new Intl.NumberFormat("en");
function show() {
  const [counts, all] = count();
  for (const bar of bars) {
    const { column, code, most } = bar.dataset;
    const n = counts[column][code];
    bar.querySelector(".now").setAttribute("width", (100 * n) / most);
    bar.querySelector(".n").textContent = number.format(n);
    if (chosen[column].has(+code)) bar.setAttribute("aria-current", "true");
    else bar.removeAttribute("aria-current");
    bar.classList.toggle("none", !n);
  }
  place.querySelector("[data-all]").textContent = number.format(all);
  const listed = place.querySelector(".chosen-list");
  listed.replaceChildren(...bars.filter(isChosen).map((bar) => {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.textContent = `${bar.closest("section").querySelector("h2").textContent}: ${bar.querySelector(".name").textContent} ×`;
    chip.addEventListener("click", () => toggle(bar));
    return chip;
  }));
  place.querySelector(".clear").hidden = !listed.children.length;
}
function toggle(bar) {
  const values = chosen[bar.dataset.column], code = +bar.dataset.code;
  if (!values.delete(code)) values.add(code);
  show();
}
place.addEventListener("click", (event) => {
  const bar = event.target.closest("a[data-column]");
  if (bar) { event.preventDefault(); toggle(bar); }
  const clear = event.target.closest(".clear");
  if (clear) { event.preventDefault(); chosen.forEach((values) => values.clear()); show(); }
});
place.addEventListener("keydown", (event) => {
  const bar = event.target.closest("a[data-column]");
  if (!bar) return;
  if (event.key === " ") { event.preventDefault(); toggle(bar); }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    const seen = bars.filter((each) => each.offsetParent);
    seen[(seen.indexOf(bar) + step + seen.length) % seen.length].focus();
  }
});
place.dataset.ready = "yes";
show();
