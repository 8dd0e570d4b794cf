// A slider over the settings that are known: it chooses in the list, says what the choice costs,
// and shows its dot. Without script the list alone does the same.

for (const form of document.querySelectorAll("[data-slide]")) {
  const place = document.querySelector(form.dataset.slide);
  const [range, list, said] = ["[type=range]", "select", "output"].map((each) => form.querySelector(each));
  const known = () => [...place.querySelectorAll("[data-choice]")];

  function show() {
    const chosen = known().find((row) => row.dataset.choice === list.value);
    said.textContent = chosen ? chosen.dataset.said : "";
    for (const dot of place.querySelectorAll("[data-dot]")) dot.classList.toggle("chosen", dot.dataset.dot === list.value);
    for (const row of known()) row.toggleAttribute("data-chosen", row === chosen);
  }
  function settle() {
    const rows = known();
    range.closest("[data-range]").hidden = rows.length < 2;
    range.max = Math.max(0, rows.length - 1);
    const at = rows.findIndex((row) => row.dataset.choice === list.value);
    if (at >= 0) range.value = at;
    show();
  }
  range.addEventListener("input", () => {
    const row = known()[range.valueAsNumber];
    if (!row) return;
    list.value = row.dataset.choice;
    range.setAttribute("aria-valuetext", row.dataset.said);
    show();
  });
  list.addEventListener("change", settle);
  place.addEventListener("click", (event) => {
    const dot = event.target.closest("[data-dot]");
    if (dot) { list.value = dot.dataset.dot; settle(); }
  });
  new MutationObserver(settle).observe(place, { childList: true });
  settle();
}
