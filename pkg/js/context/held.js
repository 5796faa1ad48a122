// Messages the module has seen. Each crosses once; an object that comes again unchanged is named by its number.

import { json } from "../refusal.js";

/** Hands messages to a manager of the module, and knows which it has. */
export class Held {
  #manager;
  #known = new WeakMap();
  #forgotten;

  constructor(manager) {
    this.#manager = manager;
    this.#forgotten = new FinalizationRegistry((number) => manager.release(number));
  }

  /** The numbers of messages, in order. */
  numbers(messages) {
    const numbers = new Uint32Array(messages.length);
    const places = [];
    const lines = [];
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index];
      const known = this.#known.get(message);
      if (known !== undefined && same(message, known.leaves)) {
        numbers[index] = known.number;
      } else {
        places.push(index);
        lines.push(json(message));
      }
    }
    if (places.length > 0) this.#take(messages, places, lines, numbers);
    return numbers;
  }

  #take(messages, places, lines, numbers) {
    const taken = this.#manager.hold(lines.join("\n"), Uint32Array.from(places));
    taken.forEach((number, index) => {
      const message = messages[places[index]];
      numbers[places[index]] = number;
      if (!isObject(message)) return;
      const before = this.#known.get(message);
      if (before) {
        this.#forgotten.unregister(before);
        this.#manager.release(before.number);
      }
      const known = { number, leaves: leaves(message) };
      this.#known.set(message, known);
      this.#forgotten.register(message, number, known);
    });
  }
}

const isObject = (value) => value !== null && typeof value === "object";

/**
 * Everything of a message that a caller may have set anew: its members, its blocks and their members. What lies
 * deeper (arguments, details) is compared as the object it is.
 */
function leaves(value, found = []) {
  for (const key in value) {
    const member = value[key];
    found.push(key);
    if (Array.isArray(member)) {
      found.push(member.length);
      for (const item of member) isObject(item) ? leaves(item, found) : found.push(item);
    } else {
      found.push(member);
    }
  }
  return found;
}

const same = (message, known) => follow(message, known, 0) === known.length;

// Where in the known leaves a value ends that has the same ones; -1 when it has others.
function follow(value, known, at) {
  for (const key in value) {
    const member = value[key];
    if (known[at++] !== key) return -1;
    if (!Array.isArray(member)) {
      if (known[at++] !== member) return -1;
      continue;
    }
    if (known[at++] !== member.length) return -1;
    for (let index = 0; index < member.length; index++) {
      const item = member[index];
      if (isObject(item)) {
        at = follow(item, known, at);
        if (at < 0) return -1;
      } else if (known[at++] !== item) {
        return -1;
      }
    }
  }
  return at;
}
