// An agent that stays in budget whatever its tools bring back, and goes on where it stopped.
//
//   node agent.mjs URL FILE WORDS...      says the words to the model at URL; FILE keeps the session
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { createContextManager } from "galley";

const model = { id: "scripted", limits: { context_window: 16_000, max_output_tokens: 1_000 } };
const system_prompt = "Read the pages you need, then answer in one sentence.";
const tools = [{ name: "read_page", description: "The text of a page.", parameters: { type: "object", properties: { page: { type: "integer" } } } }];

const run = ({ id, function_id, arguments: { page } }) => ({
  role: "function_result",
  function_call_id: id,
  function_id,
  content: [{ type: "text", text: `Page ${page}. ${"It says what it says. ".repeat(350)}` }],
  timestamp: Date.now(),
});

export function createAgent(url, file) {
  const post = async (path, body) => {
    const response = await fetch(new URL(path, url), { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const manager = createContextManager({ summarize: async (request) => (await post("summarize", request)).text });
  const session = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { messages: [], boundary: 0, summary: null };
  const keep = (message) => {
    if (message) session.messages.push(message);
    writeFileSync(file, JSON.stringify(session));
  };

  return async function say(text) {
    keep({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
    for (;;) {
      const options = { previous_summary: session.summary };
      const sent = await manager.assemble({ messages: session.messages.slice(session.boundary), model, system_prompt, tools, options });
      if (sent.applied.compacted) {
        session.summary = sent.applied.summary;
        session.boundary += sent.applied.tail_start_index;
      }
      const answer = await post("answer", { system_prompt: sent.system_prompt, messages: sent.messages, tools });
      keep(answer);
      const calls = answer.content.filter(({ type }) => type === "function_call");
      if (calls.length === 0) return answer.content[0].text;
      for (const call of calls) keep(run(call));
    }
  };
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
  const [url, file, ...words] = argv.slice(2);
  console.log(await createAgent(url, file)(words.join(" ")));
}
