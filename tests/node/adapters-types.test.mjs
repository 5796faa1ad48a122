// What adapters answer is what the libraries' own types take: every body of the suite, and a user's code.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { project } from "./packed.mjs";

const MODULES = fileURLToPath(new URL("../node_modules/", import.meta.url));
const SUITE = new URL("../suite/adapters/", import.meta.url);

const IMPORTS = `import type Anthropic from "@anthropic-ai/sdk";
import type { BaseMessageLike } from "@langchain/core/messages";
import type { ModelMessage } from "ai";
import type OpenAI from "openai";
`;
const TYPES = {
  chat: () => "OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming",
  responses: () => "OpenAI.Responses.ResponseCreateParamsNonStreaming",
  anthropic: () => "Anthropic.MessageCreateParamsNonStreaming",
  ai_sdk: (body) => (Array.isArray(body) ? "ModelMessage[]" : "{ system?: string; messages: ModelMessage[] }"),
  langchain: () => "BaseMessageLike[]",
};

// Reasoning of other servers stands in no type of the library's; and what is written from a transcript has no ids,
// which are the provider's to give, and which the type of reasoning has all the same.
const typed = (key, value) => {
  if (key === "reasoning_content") return undefined;
  return value?.type === "reasoning" && value.summary && !value.id ? { id: "rs_1", ...value } : value;
};

const bodies = readdirSync(SUITE)
  .map((name) => JSON.parse(readFileSync(new URL(name, SUITE))))
  .filter(({ shape }) => shape in TYPES)
  .map(({ name, shape, body, becomes = body }) => `// ${name}\nconst _${name.replaceAll("-", "_")}: ${TYPES[shape](becomes)} = ${JSON.stringify(becomes, typed)};\n`);

const user = project({
  "bodies.ts": IMPORTS + bodies.join(""),
  "adapters-consumer.ts": readFileSync(new URL("adapters-consumer.ts", import.meta.url), "utf8"),
});
after(user.remove);
for (const name of ["openai", "@anthropic-ai/sdk", "ai", "@langchain/core"]) {
  const place = join(user.folder, "node_modules", name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(MODULES, name), place);
}

for (const file of ["bodies.ts", "adapters-consumer.ts"]) {
  test(`${file} compiles`, () => {
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext"];
    try {
      execFileSync(process.execPath, [join(MODULES, "typescript/bin/tsc"), ...flags, file], { cwd: user.folder, encoding: "utf8" });
    } catch (error) {
      assert.fail(error.stdout);
    }
  });
}
