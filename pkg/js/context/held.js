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
    for (let index = 0; index < messages.length; index++) {
      const known = this.#known.get(messages[index]);
      if (known !== undefined && same(messages[index], known.leaves)) numbers[index] = known.number;
      else places.push(index);
    }
    if (places.length > 0) this.#take(messages, places, numbers);
    return numbers;
  }

  #take(messages, places, numbers) {
    const texts = new Texts();
    const lines = places.map((place, line) => json(texts.without(messages[place], line))).join("\n");
    const taken = this.#manager.hold(lines, Uint32Array.from(places), texts.bytes(), Uint32Array.from(texts.spans));
    const fresh = new Set();
    taken.forEach((number, index) => {
      const message = messages[places[index]];
      const before = this.#known.get(message);
      // An object that stands in the list twice is one message.
      if (fresh.has(before)) {
        this.#manager.release(number);
        numbers[places[index]] = before.number;
        return;
      }
      if (before) {
        this.#forgotten.unregister(before);
        this.#manager.release(before.number);
      }
      const known = { number, leaves: leaves(message) };
      fresh.add(known);
      numbers[places[index]] = number;
      this.#known.set(message, known);
      this.#forgotten.register(message, number, known);
    });
  }
}

/** A text shorter than this crosses inside of its message's JSON. */
const SHORT = 64;
const NO_BLOCK = 2 ** 32 - 1;
const utf8 = new TextEncoder();

/** Long texts, which cross as they are: as JSON each would be escaped here and read back there. */
class Texts {
  #texts = [];
  /** Four numbers a text: the line of its message, its block, the block inside of that or none, its bytes. */
  spans = [];

  /** A message without its long texts, which are kept here. */
  without(message, line) {
    if (!Array.isArray(message?.content)) return message;
    return { ...message, content: message.content.map((block, index) => this.#block(block, line, index, NO_BLOCK)) };
  }

  #block(block, line, index, inner) {
    if (inner === NO_BLOCK && Array.isArray(block?.content)) {
      return { ...block, content: block.content.map((within, at) => this.#block(within, line, index, at)) };
    }
    const key = TEXT_OF[block?.type];
    const text = block?.[key];
    // What has no UTF-8 is left to the engine's reader, which mends it and says so.
    if (typeof text !== "string" || text.length < SHORT || !text.isWellFormed()) return block;
    this.#texts.push(text);
    this.spans.push(line, index, inner, 0);
    return { ...block, [key]: "" };
  }

  bytes() {
    // Most text is one byte a character; room for the rest is made when it comes.
    let bytes = new Uint8Array(this.#texts.reduce((sum, text) => sum + text.length, 0));
    let end = 0;
    this.#texts.forEach((text, index) => {
      let { read, written } = utf8.encodeInto(text, bytes.subarray(end));
      if (read < text.length) {
        const larger = new Uint8Array(Math.max(bytes.length * 1.5, end + text.length * 3));
        larger.set(bytes.subarray(0, end));
        bytes = larger;
        ({ written } = utf8.encodeInto(text, bytes.subarray(end)));
      }
      this.spans[index * 4 + 3] = written;
      end += written;
    });
    return bytes.subarray(0, end);
  }
}

const TEXT_OF = { text: "text", thinking: "text", image: "data" };

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
