// Verifies a receipt of the audit log with the browser's own SHA-256 and Ed25519; the server has no part in it.
// Formats: a leaf and its tree follow RFC 6962, a checkpoint is a signed note (C2SP tlog-checkpoint).

const bytes = text => new TextEncoder().encode(text);
const hex = array => Array.from(array, byte => byte.toString(16).padStart(2, "0")).join("");
const unhex = text => Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
const base64 = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const same = (one, other) => hex(one) === hex(other);

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}

const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
const number = (value, size) => {
  const array = new Uint8Array(size);
  new DataView(array.buffer).setUint32(size - 4, value);
  return array;
};
const sized = text => joined(number(bytes(text).length, 8), bytes(text));
const node = (left, right) => sha256([1], left, right);

/** The root that a path leads to (RFC 9162, 2.1.3.2); none if it does not fit the tree. */
async function rootOf(leaf, index, size, path) {
  if (index >= size) return null;
  let at = BigInt(index), last = BigInt(size) - 1n, hash = leaf;
  for (const sibling of path) {
    if (last === 0n) return null;
    if (at & 1n || at === last) {
      hash = await node(sibling, hash);
      while (!(at & 1n) && at !== 0n) { at >>= 1n; last >>= 1n; }
    } else hash = await node(hash, sibling);
    at >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? hash : null;
}

/** A verifier key, `name+id+base64(1 ‖ key)`; none if it is not one. */
export async function verifierKey(text) {
  const [name, id, ...rest] = text.trim().split("+");
  let raw;
  try { raw = base64(rest.join("+")); } catch { return null; }
  if (raw[0] !== 1 || raw.length !== 33) return null;
  const own = (await sha256(bytes(name), [10], raw)).slice(0, 4);
  return hex(own) === id ? { name, id: own, raw: raw.slice(1) } : null;
}

/** The checkpoint that the key signed; none if it did not. */
async function opened(note, key) {
  const end = note.lastIndexOf("\n\n");
  if (end < 0) return null;
  const body = note.slice(0, end + 1), [origin, size, root] = body.split("\n");
  const imported = await crypto.subtle.importKey("raw", key.raw, { name: "Ed25519" }, false, ["verify"]);
  for (const line of note.slice(end + 2).split("\n")) {
    const [dash, name, text] = line.split(" ");
    if (dash !== "—" || name !== key.name || !text) continue;
    const signed = base64(text);
    if (!same(signed.slice(0, 4), key.id)) continue;
    if (origin === key.name && await crypto.subtle.verify("Ed25519", imported, signed.slice(4), bytes(body)))
      return { size: Number(size), root: base64(root) };
  }
  return null;
}

/** Whether this browser can verify. */
export async function able() {
  if (!globalThis.crypto?.subtle) return false;
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32).fill(1), { name: "Ed25519" }, false, ["verify"]);
    return true;
  } catch (error) { return error.name !== "NotSupportedError"; }
}

/** Whether an entry is that of the record that a page shows, with its question and answer unless they were erased. */
function holds({ public: known, sealed }, record) {
  if (JSON.parse(known).audit_id !== record.audit_id) return false;
  if (!sealed) return record.payload_erased;
  const { query, answer } = JSON.parse(sealed.payload);
  return query === record.query && answer === (record.answer ?? "");
}

/**
 * The steps of the verification of a shown record's receipt, each with its name and whether it holds. Without `trusted`
 * the receipt's own key is used, which shows that the receipt is whole, not whose it is.
 */
export async function verify(receipt, record, trusted) {
  const steps = [], step = (name, ok) => { steps.push({ name, ok: Boolean(ok) }); return ok; };
  try {
    const { entry, path, checkpoint } = receipt;
    const own = await verifierKey(receipt.key);
    const key = trusted?.trim() ? await verifierKey(trusted) : own;
    step(trusted?.trim() ? "key_trusted" : "key_own", key && own && same(key.raw, own.raw));
    if (!key) return steps;
    step("record", holds(entry, record));
    if (entry.sealed) {
      const { salt, payload } = entry.sealed;
      step("payload", hex(await sha256(unhex(salt), bytes(payload))) === entry.commitment);
    }
    const header = entry.header === undefined || entry.header === null ? [] : [sized(entry.header)];
    const leaf = await sha256([0], number(entry.version, 4), ...header, sized(entry.public), unhex(entry.commitment));
    step("leaf", hex(leaf) === entry.leaf);
    const signed = await opened(checkpoint, key);
    step("signature", signed);
    if (signed) {
      const root = await rootOf(leaf, entry.index, signed.size, path.map(unhex));
      step("inclusion", root && same(root, signed.root));
    }
  } catch (error) { step("readable", false); }
  return steps;
}
