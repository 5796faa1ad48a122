// The context manager: the engine says what it needs, and this brings it from the host.
import { fileLeases } from "#leases";
import { loadedEncodings } from "../encodings.js";
import { Refusal, json, refusing } from "../refusal.js";
import { Held } from "./held.js";
import { memoryLeases } from "./leases.js";
import { fit } from "./module.js";

/** Makes a context manager. Nothing is loaded before its first call. */
export function createContextManager(options = {}) {
  return new ContextManager(options);
}

class ContextManager {
  #host;
  #made;
  #opened;
  #fetchConfig;

  constructor({ config, catalogue, wording, now = Date.now, resolveModel, summarize, leases }) {
    this.#host = { now, resolveModel, summarize, leases, kept: leases ?? memoryLeases() };
    this.#made = { config, catalogue, wording, asks_host: resolveModel !== undefined };
  }

  assemble(request) {
    return this.#answer("assemble", request);
  }

  compact(request) {
    return this.#answer("compact", request);
  }

  prune(request) {
    return this.#answer("prune", request);
  }

  countTokens(request) {
    return this.#answer("count_tokens", request);
  }

  async explain(call, request, extras = {}) {
    const [run, messages] = await this.#run(call, request, extras);
    try {
      const detail = JSON.parse(run.detail());
      try {
        const response = await written(() => run.answer(), messages);
        // What a dry run leaves is no answer: the summary that would be in it is not.
        return extras.dry_run ? { detail } : { response, detail };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { error, detail };
      }
    } finally {
      run.free();
    }
  }

  async trim(request) {
    const { manager, held } = await this.#ready();
    const { messages, rest } = split(request);
    return written(() => manager.trim(json(rest), messages && held.numbers(messages)), messages);
  }

  async configure(config) {
    return this.#configure(await this.#ready(), config);
  }

  async onConfigChange() {
    try {
      if (this.#fetchConfig) await this.#set(await this.#ready(), await this.#fetchConfig(), true);
    } catch {
      // What cannot be fetched or read changes nothing: the configuration before it stands.
    }
    return { ok: true };
  }

  async modelsChanged() {
    const { manager } = await this.#ready();
    manager.modelsChanged();
    return { ok: true };
  }

  async #answer(call, request) {
    const [run, messages] = await this.#run(call, request, {});
    try {
      return await written(() => run.answer(), messages);
    } finally {
      run.free();
    }
  }

  async #run(call, request, extras) {
    const { manager, held } = await this.#ready();
    const { messages, rest } = split(request);
    const run = await refusing(() => {
      const numbers = messages && held.numbers(messages);
      return manager.call(call, json(rest), numbers, json(extras), this.#host.now(), nonce());
    });
    for (let need; (need = run.need()); ) await this.#bring(run, JSON.parse(need));
    return [run, messages];
  }

  async #bring(run, { need, ...asked }) {
    const { now, resolveModel, summarize, kept } = this.#host;
    const bring = {
      resolve_model: () => resolveModel(asked.id, asked.provider),
      get_lease: () => kept.get(asked.key),
      swap_lease: () => kept.swap(asked.key, asked.record),
      summarize: () => {
        if (!summarize) throw Object.assign(new Error("no summarize callback was given"), { kind: "unavailable" });
        const { timeout_ms: _, ...request } = asked;
        return summarize(request);
      },
    }[need];
    try {
      const given = await within(asked.timeout_ms, bring);
      run.resume(json(given), now());
    } catch (error) {
      run.fail(String(error?.kind ?? "failed"), String(error?.message ?? error), now());
    }
  }

  async #configure(ready, config) {
    if (typeof config !== "function") return this.#set(ready, config);
    await this.#set(ready, await config(), true);
    this.#fetchConfig = config;
  }

  async #set({ manager }, config, whole = false) {
    const before = JSON.parse(manager.config());
    // A whole configuration sets back what it does not name.
    const back = whole ? Object.fromEntries(Object.keys(before).map((name) => [name, null])) : {};
    await refusing(() => manager.configure(json({ ...back, ...config })));
    const { lease_dir } = JSON.parse(manager.config());
    if (lease_dir === before.lease_dir || this.#host.leases) return;
    try {
      this.#host.kept = lease_dir === null ? memoryLeases() : await fileLeases(lease_dir);
    } catch (error) {
      manager.configure(json(before));
      throw error;
    }
  }

  async #ready() {
    this.#opened ??= this.#open();
    // What failed may be tried again.
    this.#opened.catch(() => (this.#opened = undefined));
    const ready = await this.#opened;
    for (const [name, counter] of loadedEncodings().slice(ready.encodings)) {
      ready.manager.loadEncoding(name, counter);
      ready.encodings += 1;
    }
    return ready;
  }

  async #open() {
    const { config, ...made } = this.#made;
    const { Manager } = await fit();
    const manager = await refusing(() => new Manager(json(made)));
    const ready = { manager, held: new Held(manager), encodings: 0 };
    if (config !== undefined) await this.#configure(ready, config);
    return ready;
  }
}

/** A request's messages, which cross by themselves, and the rest of it. */
function split(request) {
  if (!Array.isArray(request?.messages)) return { rest: request };
  const { messages, ...rest } = request;
  return { messages, rest: { messages: [], ...rest } };
}

/** The answer: messages that came back as they were are the caller's own objects. */
async function written(ask, messages = []) {
  const answer = await refusing(ask);
  const response = JSON.parse(answer.json);
  const kept = answer.kept;
  if (kept) {
    const changed = JSON.parse(answer.changed);
    const answered = new Array(kept.length);
    let next = 0;
    for (let index = 0; index < kept.length; index++) {
      answered[index] = kept[index] < messages.length ? messages[kept[index]] : changed[next++];
    }
    response.messages = answered;
  }
  answer.free();
  return response;
}

/** The longest a timer can wait; it fires at once when it is told to wait longer. */
const LONGEST = 2 ** 31 - 1;

/** What `work` answers, unless it takes longer. */
async function within(ms, work) {
  if (ms === undefined) return work();
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer within ${ms} ms`)), Math.min(ms, LONGEST));
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

// What tells our leases from those of every other process.
function nonce() {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));
  return `${globalThis.process?.pid ?? 0}-${random.join("")}`;
}
