// A history of 10,000 messages and 10 MB made to fit: objects in, objects out.
import { createContextManager, loadEncoding } from "../pkg/js/index.js";
import { figure, median, ms } from "./figures.mjs";
import { history } from "./transcript.mjs";

const LIMITS = { context_window: 4_000_000, max_output_tokens: 8_000 };
const ROUNDS = 5;

const timed = async (work) => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/** The median of some rounds, each with objects nobody has seen. */
async function rounds(work) {
  const took = [];
  for (let round = 0; round < ROUNDS; round++) took.push(await work(structuredClone(messages)));
  return median(took);
}

const messages = history(10_000, 10e6);
console.log(`  ${messages.length} messages, ${(JSON.stringify(messages).length / 1e6).toFixed(1)} MB`);

const ready = async () => {
  const manager = createContextManager();
  await manager.countTokens({ messages: [], model: { id: "any" } });
  return manager;
};

for (const [name, id, target] of [
  ["heuristic", "any", 150],
  ["exact", "gpt-4o", 250],
]) {
  if (name === "exact") await loadEncoding("o200k_base");
  const model = { id, limits: LIMITS };
  const appended = [];
  const cold = await rounds(async (fresh) => {
    const manager = await ready();
    const took = await timed(() => manager.assemble({ messages: fresh, model }));
    fresh.push({ role: "user", content: [{ type: "text", text: "and now?" }], timestamp: 1 });
    appended.push(await timed(() => manager.assemble({ messages: fresh, model })));
    return took;
  });
  figure(`assemble, ${name}, cold counts`, cold, { unit: ms, target });
  figure(`assemble, ${name}, one message appended`, median(appended), { unit: ms, target: 10 });
}
figure(
  "prune, cold counts",
  await rounds(async (fresh) => {
    const manager = await ready();
    return timed(() => manager.prune({ messages: fresh, options: { protect_recent_tokens: 40_000 } }));
  }),
  { unit: ms },
);
