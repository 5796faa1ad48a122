// A scripted model on loopback: it reads three pages before it answers, and refuses what its window cannot hold.
import { createServer } from "node:http";

/** Starts it: its address, what it was asked so far, and how to stop it. */
export async function startModel({ input_tokens }) {
  const seen = { answers: 0, summaries: 0, largest: 0, refused: 0, prompts: [] };
  const routes = {
    "/answer"({ messages }, tokens) {
      seen.answers += 1;
      seen.largest = Math.max(seen.largest, tokens);
      if (tokens > input_tokens) {
        seen.refused += 1;
        throw new Error(`context_length_exceeded: ${tokens} tokens, ${input_tokens} fit`);
      }
      const since = messages.length - 1 - messages.findLastIndex(({ role }) => role === "user");
      const pages = Math.floor(since / 2);
      return answered(pages < 3 ? { type: "function_call", id: `c${seen.answers}`, function_id: "read_page", arguments: { page: pages + 1 } } : { type: "text", text: `I have read ${pages} pages.` });
    },
    "/summarize"({ system_prompt, prompt }) {
      seen.summaries += 1;
      seen.prompts.push(system_prompt);
      const pages = prompt.split("[tool_call] read_page").length - 1;
      return { text: `## Goal\n- answer from the pages\n## Progress\n- summary ${seen.summaries}: ${pages} more pages read` };
    },
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    try {
      const answer = routes[request.url](JSON.parse(body), Math.floor(body.length / 4));
      response.end(JSON.stringify(answer));
    } catch (error) {
      response.writeHead(400).end(String(error.message));
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${server.address().port}/`, seen, stop: () => new Promise((stopped) => server.close(stopped)) };
}

function answered(block) {
  return {
    role: "assistant",
    content: [block],
    stop_reason: block.type === "text" ? "end" : "function_call",
    model: "scripted",
    provider: "loopback",
    timestamp: Date.now(),
  };
}
