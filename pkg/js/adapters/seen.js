// What the engine sees of objects that are more than JSON: bytes as base64, messages of classes as their members.
import { opened } from "./patch.js";

/** What the AI SDK is handed: `messages`, or an object with them, the system text and the tools. */
export function aiSdkSeen(input) {
  if (Array.isArray(input)) return { body: written(input), warnings: [] };
  const { system, instructions, messages, tools } = input ?? {};
  const warnings = [];
  const described = Object.entries(tools ?? {}).map(([name, tool]) => {
    const schema = tool.inputSchema?.jsonSchema;
    const plain = schema !== undefined && typeof schema.then !== "function";
    if (!plain) {
      const message = `the schema of ${name} is code and is not counted; hand the functions over as \`tools\``;
      warnings.push({ code: "schema_not_read", message, path: `/tools/${name}` });
    }
    return [name, { description: tool.description, inputSchema: plain ? schema : null }];
  });
  return { body: written({ system, instructions, messages, tools: Object.fromEntries(described) }), warnings };
}

/** A list of LangChain's messages, whatever each is spelled as. */
export function langchainSeen(input) {
  const list = (messages) => messages.map((message) => membersOf(opened(message)));
  if (Array.isArray(input)) return { body: written(list(input)), warnings: [] };
  return { body: written({ messages: Array.isArray(input?.messages) ? list(input.messages) : null }), warnings: [] };
}

const MEMBERS = ["content", "name", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "additional_kwargs", "role"];

function membersOf(message) {
  const type = message?.getType?.() ?? message?._getType?.();
  if (type === undefined) return message;
  return { type: type === "generic" ? "chat" : type, ...Object.fromEntries(MEMBERS.map((key) => [key, message[key]])) };
}

/** The same in JSON's values, bytes as base64. */
function written(value) {
  return JSON.parse(
    JSON.stringify(value, function (key, member) {
      const own = this[key];
      if (own instanceof ArrayBuffer) return base64(new Uint8Array(own));
      return own instanceof Uint8Array ? base64(own) : member;
    }),
  );
}

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}
