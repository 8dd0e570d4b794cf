// The tree of a column: opened, changed and moved without reloading. Without this all of it works by
// links and buttons; here they are asked for as parts of the page, and keys and dragging are added.

const part = document.querySelector("#part");
const editor = () => part.querySelector("#editor");
const picks = () => [...part.querySelectorAll(".tree .pick")];
const picked = () => [...part.querySelectorAll("[name=node]:checked")];
const nodeOf = (element) => element.closest("li").querySelector(":scope > .node");
const changes = ["group", "merge", "rename", "move", "dissolve", "add", "undo", "redo", "find"];
let last = null;

// One change: the form with what is meant, answered by the tree as it is then.
async function send(fields, focus) {
  const body = new URLSearchParams(new FormData(editor()));
  for (const [name, value] of Object.entries(fields)) {
    body.delete(name);
    for (const each of [value].flat()) body.append(name, each);
  }
  part.classList.add("busy");
  try {
    const answer = await fetch(editor().action, { method: "POST", body, headers: { "x-part": "1" } });
    if (answer.redirected) return void location.assign(answer.url);
    part.innerHTML = await answer.text(); // escaped by the app, and no script in it would run
  } catch {
    part.querySelector("[role=status]").textContent = "The app does not answer. Is it still running?";
  }
  part.classList.remove("busy");
  ready();
  const alert = part.querySelector("[role=alert]#refused");
  const at = part.querySelector("[data-focus]")?.dataset.focus;
  const places = [fields.do === "find" && part.querySelector(".results input"), at && document.getElementById(`n${at}`), document.getElementById(focus)];
  const wanted = places.find(Boolean);
  (wanted ?? picks()[0])?.focus({ preventScroll: Boolean(alert) });
  alert?.scrollIntoView({ block: "nearest" });
}

// What comes with a tree that is shown anew.
function ready() {
  for (const each of part.querySelectorAll("[data-all], .keys")) each.hidden = false;
  prepare(part);
  roam(picks()[0]);
  count();
}

function prepare(place) {
  if (!part.querySelector(".workbench")) return;
  for (const node of place.querySelectorAll(".tree .node")) node.draggable = node.dataset.node !== rootOf();
  for (const each of place.querySelectorAll(".tree .twist, .tree .pick")) each.tabIndex = -1;
}

const rootOf = () => part.querySelector(".tree .node")?.dataset.node;

// Tab comes to one line of the tree; arrows go on from there.
function roam(to) {
  if (!to) return;
  for (const each of part.querySelectorAll(".tree .pick[tabindex='0']")) each.tabIndex = -1;
  to.tabIndex = 0;
}

function count() {
  const said = part.querySelector("[data-chosen]");
  if (!said) return;
  const n = picked().length;
  said.textContent = n ? `${n} selected. Say what becomes of ${n === 1 ? "it" : "them"}:` : "Select values or groups below, then say what becomes of them.";
}

async function open(twist) {
  const item = twist.closest("li");
  const inside = item.querySelector(":scope > ul");
  if (inside) {
    inside.remove();
    item.classList.remove("open");
    return void twist.setAttribute("aria-expanded", "false");
  }
  const made = await windowOf(nodeOf(twist).dataset.node, 0);
  if (!made) return;
  item.append(made);
  item.classList.add("open");
  twist.setAttribute("aria-expanded", "true");
}

async function windowOf(node, from) {
  const query = new URLSearchParams({ column: part.dataset.column, node, from, version: editor().elements.version.value });
  const answer = await fetch(`${location.pathname}/part?${query}`);
  if (!answer.ok) return void location.reload();
  const holder = document.createElement("div");
  holder.innerHTML = await answer.text();
  prepare(holder);
  const list = holder.querySelector("ul");
  for (const each of list.querySelectorAll(".twist, .pick")) each.tabIndex = -1;
  for (const each of list.querySelectorAll(".node")) each.draggable = Boolean(part.querySelector(".workbench"));
  return list;
}

async function more(link) {
  const item = link.closest("li");
  const list = item.parentElement;
  const made = await windowOf(link.dataset.node, link.dataset.from);
  if (!made) return;
  const state = made.querySelector(":scope > .state");
  list.querySelector(":scope > .state").replaceWith(state);
  const first = made.querySelector(".pick");
  item.replaceWith(...made.children);
  first?.focus();
}

// A group is renamed where it stands.
function rename(node) {
  if (!node.classList.contains("group")) return;
  const label = node.querySelector("label");
  const field = document.createElement("input");
  field.className = "inline";
  field.value = label.textContent;
  field.setAttribute("aria-label", `New name of ${label.textContent}`);
  label.hidden = true;
  label.after(field);
  field.select();
  let over = false;
  const end = (isDone) => {
    if (over) return;
    over = true;
    if (isDone && field.value !== label.textContent) return void send({ do: "rename", node: node.dataset.node, label: field.value }, `n${node.dataset.node}`);
    field.remove();
    label.hidden = false;
    node.querySelector(".pick").focus();
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") event.preventDefault();
    if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter");
  });
  field.addEventListener("blur", () => end(false));
}

const moved = (node) => {
  const chosen = picked().map((each) => each.value);
  return chosen.includes(node) ? chosen : [node];
};

if (part) {
  part.addEventListener("submit", (event) => {
    const does = event.submitter?.value;
    if (!changes.includes(does)) return;
    event.preventDefault();
    const first = picked()[0]?.value;
    send({ do: does }, ["undo", "redo", "find"].includes(does) ? "label" : `n${first}`);
  });
  part.addEventListener("click", (event) => {
    const { target } = event;
    const twist = target.closest("a.twist");
    const link = target.closest(".more a");
    if (twist || link) {
      event.preventDefault();
      return void (twist ? open(twist) : more(link));
    }
    if (target.matches("[data-all]")) {
      for (const each of part.querySelectorAll(".results [name=node]")) each.checked = true;
      return count();
    }
    if (!target.matches(".pick")) return;
    if (event.shiftKey && last?.isConnected) {
      const all = picks();
      const [from, to] = [all.indexOf(last), all.indexOf(target)].sort((a, b) => a - b);
      for (const between of all.slice(from, to + 1)) between.checked = target.checked;
    }
    last = target;
    count();
  });
  part.addEventListener("dblclick", (event) => {
    const node = event.target.closest(".workbench .tree .node.group");
    if (node && event.target.closest("label")) rename(node);
  });
  part.addEventListener("change", count);
  part.addEventListener("focusin", (event) => event.target.matches(".tree .pick") && roam(event.target));
  part.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if ((event.ctrlKey || event.metaKey) && ["z", "y", "Z"].includes(key) && !target.matches("input:not([type=checkbox])")) {
      event.preventDefault();
      return void send({ do: key === "z" ? "undo" : "redo" }, target.id);
    }
    if (target.matches(".tools input") && key === "Enter") {
      event.preventDefault(); // the button of its own line, not the first of the form
      return void target.closest(".tool").querySelector("button").click();
    }
    if (!target.matches(".tree .pick") || event.ctrlKey || event.altKey || event.metaKey) return;
    const node = nodeOf(target);
    const twist = node.querySelector("a.twist");
    const isOpen = twist?.getAttribute("aria-expanded") === "true";
    const all = picks();
    const at = all.indexOf(target);
    const go = {
      ArrowDown: () => all[at + 1]?.focus(),
      ArrowUp: () => all[at - 1]?.focus(),
      Home: () => all[0].focus(),
      End: () => all.at(-1).focus(),
      ArrowRight: () => (twist && !isOpen ? open(twist) : isOpen && all[at + 1]?.focus()),
      ArrowLeft: () => (isOpen ? open(twist) : node.closest("ul").closest("li")?.querySelector(".pick").focus()),
      F2: () => rename(node),
      m: () => reach("to", target),
      g: () => reach("label", target),
      Delete: () => twist && send({ do: "dissolve", node: moved(node.dataset.node) }, all[at - 1]?.id),
    }[key];
    if (!go || (!part.querySelector(".workbench") && !key.startsWith("Arrow"))) return;
    event.preventDefault();
    go();
  });
  const reach = (id, target) => {
    if (!picked().length) target.checked = true;
    count();
    part.querySelector(`#${id}`).focus();
  };

  // Dragging: what is selected goes along; a group takes it, and opens when one waits over it.
  let dragged = null;
  let waits = 0;
  const over = (event) => event.target.closest?.(".tree .node.group");
  const clear = () => part.querySelectorAll(".over").forEach((each) => each.classList.remove("over"));
  part.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".tree .node")?.dataset.node ?? null;
    if (dragged === null) return;
    event.dataTransfer.setData("text/plain", "");
    event.dataTransfer.effectAllowed = "move";
    for (const each of moved(dragged)) part.querySelector(`.node[data-node="${each}"]`)?.classList.add("taken");
  });
  part.addEventListener("dragover", (event) => {
    const node = dragged !== null && over(event);
    if (!node || node.classList.contains("taken")) return;
    event.preventDefault();
    if (node.classList.contains("over")) return;
    clear();
    node.classList.add("over");
    clearTimeout(waits);
    waits = setTimeout(() => {
      const twist = node.querySelector("a.twist[aria-expanded=false]");
      if (twist && node.classList.contains("over")) open(twist);
    }, 700);
  });
  part.addEventListener("drop", (event) => {
    const node = dragged !== null && over(event);
    if (!node) return;
    event.preventDefault();
    send({ do: "move", node: moved(dragged), to_node: node.dataset.node }, `n${dragged}`);
  });
  part.addEventListener("dragend", () => {
    dragged = null;
    clearTimeout(waits);
    clear();
    part.querySelectorAll(".taken").forEach((each) => each.classList.remove("taken"));
  });
  if (editor()) ready();
}
