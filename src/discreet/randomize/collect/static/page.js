// The page: shows the items, takes the choice, and says what is disclosed by sending it.
import { Client, lawOf, localEpsilon, randomize } from "./client.js";

const byId = (id) => document.getElementById(id);
const client = new Client(decodeURIComponent(location.hash.slice(1)));

function say(text, isError = false) {
  byId("said").textContent = text;
  byId("said").className = isError ? "error" : "";
}

function show(policy) {
  byId("campaign").textContent = policy.campaign;
  policy.items.forEach((item, place) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = String(place);
    label.append(box, ` ${item}`);
    byId("items").append(label);
  });
  byId("choice").hidden = false;
  explain(policy);
}

function chosen(policy) {
  const boxes = byId("items").querySelectorAll("input:checked");
  return Array.from(boxes, (box) => policy.items[Number(box.value)]);
}

// How many reports this browser has sent: all of one person together disclose more than one.
function count(policy, more) {
  const key = `discreet reports ${policy.campaign}`;
  try {
    const n = (Number(localStorage.getItem(key)) || 0) + more;
    if (more) localStorage.setItem(key, String(n));
    return n;
  } catch {
    return 0; // a browser that keeps nothing
  }
}

function together(policy, epsilon) {
  const n = count(policy, 0);
  if (!n) return "";
  const total = (Math.ceil((n + 1) * epsilon * 1000) / 1000).toFixed(3);
  return ` This browser has sent ${n} before; with this one that is an epsilon of up to ${total}.`;
}

function explain(policy) {
  const items = chosen(policy);
  const size = policy.padded ? policy.sizes[0] : items.length;
  const isTaken = policy.sizes.includes(size);
  byId("send").disabled = !isTaken;
  if (!isTaken) {
    byId("notice").textContent = `You chose ${size} items; this campaign takes ` +
      `${policy.sizes.join(", ")}.`;
    return;
  }
  const epsilon = localEpsilon(lawOf(policy, size),
    policy.items.length + (policy.padded ? size : 0));
  const sizeWords = policy.padded ? "not even how many items you chose is disclosed"
    : "how many items you chose is disclosed";
  byId("notice").textContent = "Your choice is randomized here, in your browser, before it is " +
    `sent: some items are dropped, others are added. Local epsilon ` +
    `${(Math.ceil(epsilon * 1000) / 1000).toFixed(3)}; ${sizeWords}.${together(policy, epsilon)}`;
}

async function send(policy) {
  const items = chosen(policy);
  byId("send").disabled = true; // once: a second randomization of the same would disclose more
  for (const box of byId("items").querySelectorAll("input")) box.disabled = true;
  count(policy, 1); // before it is sent: what got lost on its way is counted all the same
  say("Sending ...");
  try {
    await client.send([items]);
    say("Sent. Thank you. What left this browser was randomized.");
  } catch (error) {
    say(error.message, true);
  }
}

async function start() {
  if (!client.token) {
    say("This address lacks the token of the campaign: open the link that you were given.", true);
    return;
  }
  try {
    const policy = await client.fetchPolicy();
    if (!policy.laws) {
      say("Browsers cannot apply the operator of this campaign; use the Python client.", true);
      return;
    }
    show(policy);
    byId("items").addEventListener("change", () => explain(policy));
    byId("send").addEventListener("click", () => send(policy));
  } catch (error) {
    say(error.message, true);
  }
}

globalThis.discreet = { Client, randomize, client }; // for whoever wants to look
start();
