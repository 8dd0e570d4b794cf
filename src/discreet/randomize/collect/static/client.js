// Randomizes transactions in the browser and sends only the result.
//
// The operator is the policy's, of the select-a-size family: keep j of the m items with chance
// keep[j], insert every other item with chance rho. Every draw comes from the browser's
// cryptographic source by integer arithmetic alone: no probability is rounded.

const POOL = new Uint8Array(4096);
let used = POOL.length;

/** Return one uniform byte. */
function randomByte() {
  if (used === POOL.length) {
    crypto.getRandomValues(POOL);
    used = 0;
  }
  const byte = POOL[used];
  POOL[used] = 0; // what was drawn is not kept
  used += 1;
  return byte;
}

/** Return a uniform BigInt from 0 to n - 1; draws that would favour some are drawn again. */
export function randomBelow(n) {
  const bits = (n - 1n).toString(2).length;
  const nBytes = Math.ceil(bits / 8);
  const spare = BigInt(8 * nBytes - bits);
  for (;;) {
    let drawn = 0n;
    for (let i = 0; i < nBytes; i += 1) drawn = (drawn << 8n) | BigInt(randomByte());
    drawn >>= spare;
    if (drawn < n) return drawn;
  }
}

/**
 * Return true with chance p.numerator / p.denominator, exactly: a uniform number is compared
 * with it byte by byte, and the next byte is drawn only where all so far are equal.
 */
export function bernoulli(p) {
  let numerator = p.numerator;
  while (numerator > 0n) {
    numerator *= 256n;
    const threshold = Number(numerator / p.denominator);
    const drawn = randomByte();
    if (drawn !== threshold) return drawn < threshold;
    numerator %= p.denominator;
  }
  return false; // all bytes of p are equal to those drawn, and a number is not below itself
}

/** Return the place drawn from chances that sum to 1. */
export function drawFrom(chances) {
  const common = chances.reduce((product, each) => lcm(product, each.denominator), 1n);
  let left = randomBelow(common);
  for (let place = 0; place < chances.length; place += 1) {
    left -= chances[place].numerator * (common / chances[place].denominator);
    if (left < 0n) return place;
  }
  throw new Error("The chances of the policy do not sum to 1.");
}

/** Return n different entries of a list, every choice equally likely. */
export function choose(entries, n) {
  const order = [...entries];
  for (let i = 0; i < n; i += 1) {
    const other = i + Number(randomBelow(BigInt(order.length - i)));
    [order[i], order[other]] = [order[other], order[i]];
  }
  return order.slice(0, n);
}

/** Return a fraction from text such as "1/5" or "1". */
export function fraction(text) {
  const parts = /^(\d+)(?:\/(\d+))?$/.exec(text);
  const [numerator, denominator] = parts ? [BigInt(parts[1]), BigInt(parts[2] ?? "1")] : [1n, 0n];
  if (denominator === 0n || numerator > denominator) throw new Error(`${text} is no probability.`);
  return { numerator, denominator };
}

function lcm(a, b) {
  let [x, y] = [a, b];
  while (y) [x, y] = [y, x % y];
  return (a / x) * b;
}

/** Return the natural logarithm of a BigInt of any length. */
function ln(n) {
  const digits = n.toString(16);
  const rest = Math.max(0, digits.length - 13);
  return Math.log(Number.parseInt(digits.slice(0, 13), 16)) + rest * Math.log(16);
}

/** Return the law of a policy for transactions of one size, read and checked. */
export function lawOf(policy, size) {
  const given = policy.laws?.[size];
  if (!given) {
    throw new Error(`A browser cannot apply this policy to a transaction of ${size} items.`);
  }
  const law = { keep: given.keep.map(fraction), rho: fraction(given.rho) };
  const common = law.keep.reduce((product, each) => lcm(product, each.denominator), 1n);
  const total = law.keep.reduce((sum, p) => sum + p.numerator * (common / p.denominator), 0n);
  if (law.keep.length !== size + 1 || total !== common) {
    throw new Error(`The chances of the policy for ${size} items do not sum to 1.`);
  }
  return law;
}

/**
 * Return the local epsilon of a law among transactions of one size, of nItems items in all, or
 * Infinity: with w[j] = keep[j] / C(m, j) ((1 - rho) / rho)^j it is ln max w[a] / w[b] over
 * numbers of kept items a and b that one randomized set may show of two transactions.
 */
export function localEpsilon(law, nItems) {
  const m = law.keep.length - 1;
  const odds = ln(law.rho.denominator - law.rho.numerator) - ln(law.rho.numerator);
  let waysLog = 0; // ln C(m, j)
  const weights = law.keep.map((p, j) => {
    if (j > 0) waysLog += Math.log(m - j + 1) - Math.log(j);
    return ln(p.numerator) - ln(p.denominator) - waysLog + j * odds;
  });
  let most = 0;
  for (let a = 0; a <= m; a += 1) {
    for (let b = 0; b <= m; b += 1) {
      const feasible = Math.abs(a - b) <= nItems - m && weights[a] > -Infinity;
      if (feasible) most = Math.max(most, weights[a] - weights[b]);
    }
  }
  return most;
}

/**
 * Return what is sent of a transaction: its size and its randomized items.
 *
 * With a padded policy it is cut by chance, or filled up with null items, to the one size of the
 * policy. Null items stand for nothing, so those that are kept or inserted are not sent.
 */
export function randomize(policy, items) {
  const own = new Set(items);
  for (const item of own) {
    if (!policy.items.includes(item)) throw new Error(`${item} is not in the list of items.`);
  }
  let entries = [...own];
  if (policy.padded) {
    const [size] = policy.sizes;
    entries = choose(entries, Math.min(size, entries.length));
    while (entries.length < size) entries.push(null);
  }
  const law = lawOf(policy, entries.length);
  const kept = new Set(choose(entries, drawFrom(law.keep)));
  const inside = new Set(entries);
  const sent = policy.items.filter((item) =>
    inside.has(item) ? kept.has(item) : bernoulli(law.rho));
  return { size: entries.length, items: sent };
}

/** A service: asks it for the policy, and sends what was randomized. */
export class Client {
  constructor(token, { url = "", nTries = 6 } = {}) {
    this.url = url;
    this.token = token;
    this.nTries = nTries;
    this.policy = null;
  }

  /** Return the policy, asked for once. */
  async fetchPolicy() {
    this.policy ??= await this.ask("/policy", {});
    return this.policy;
  }

  /** Randomize transactions once, and send the result until it is acknowledged. */
  async send(transactions) {
    const policy = await this.fetchPolicy();
    const texts = transactions.map((items) => JSON.stringify(randomize(policy, items)));
    let n = 0;
    for (const batch of batches(texts, policy.limits)) {
      const answer = await this.ask("/transactions", {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": newKey() },
        body: `{"transactions":[${batch.join(",")}]}`,
      });
      n += answer.n_transactions;
    }
    return n;
  }

  /** Ask, and ask again where there was no answer; a repeated request counts once. */
  async ask(path, options) {
    const headers = { ...options.headers, Authorization: `Bearer ${this.token}` };
    for (let nTried = 1; ; nTried += 1) {
      let problem = "The service does not answer.";
      let wait = 200 * 2 ** nTried;
      try {
        const answer = await fetch(this.url + path, { ...options, headers, redirect: "error" });
        if (answer.ok) return await answer.json();
        const said = await answer.json().catch(() => ({}));
        problem = typeof said.detail === "string" ? said.detail : `Answer ${answer.status}.`;
        if (answer.status < 500 && answer.status !== 429) nTried = this.nTries;
        wait = Math.max(wait, 1000 * Number(answer.headers.get("Retry-After") ?? 0));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // fetch has no other for the network
      }
      if (nTried >= this.nTries) throw new Error(problem);
      await new Promise((resolve) => { setTimeout(resolve, wait); });
    }
  }
}

/** Return texts in groups that keep to the limits of one request. */
function batches(texts, limits) {
  const found = [];
  let length = Infinity;
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text).length + 1;
    if (length + bytes > limits.max_body || found.at(-1).length === limits.max_batch) {
      found.push([]);
      length = 30; // the brackets around
    }
    found.at(-1).push(text);
    length += bytes;
  }
  return found;
}

/** Return a new idempotency key. */
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
}
