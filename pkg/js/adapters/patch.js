// What the engine says is to do to a body, done to the caller's own objects: copied is what changes, and what leads
// to it; all else stays the object it is.

/** A value with a patch done to a copy of it; the value itself when there is none. */
export function patched(own, patch) {
  if (!patch) return own;
  if ("set" in patch) return patch.set;
  if (patch.items) return patch.items.map((item) => (Array.isArray(item) ? patched(own[item[0]], item[1]) : (item.put ?? own[item])));
  const changed = Object.entries(patch.members).map(([key, inner]) => [key, inner && patched(opened(own)[key], inner)]);
  return withMembers(opened(own), changed);
}

/** A message as an object, where LangChain takes a text or a pair of who and what for one. */
export function opened(message) {
  if (typeof message === "string") return { role: "user", content: message };
  return Array.isArray(message) ? { role: message[0], content: message[1] } : message;
}

function withMembers(own, changed) {
  const copy = Object.create(Object.getPrototypeOf(own), Object.getOwnPropertyDescriptors(own));
  for (const [key, value] of changed) {
    if (value === null) delete copy[key];
    else copy[key] = value;
  }
  // A message of LangChain keeps beside its members what it was made of, and writes that.
  if (own.lc_kwargs) copy.lc_kwargs = withMembers(own.lc_kwargs, changed);
  return copy;
}
