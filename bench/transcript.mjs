// A made-up agent's history: words of several kinds, the same on every run.

/** So many messages with about so many bytes of text: a person, calls, their results, answers. */
export function history(count, bytes) {
  const words = generator(7);
  const messages = [];
  const share = bytes / count;
  for (let turn = 0; messages.length < count; turn++) {
    const timestamp = 1_700_000_000_000 + turn * 1_000;
    messages.push({ role: "user", content: [{ type: "text", text: words(share * 0.3) }], timestamp });
    for (let step = 0; step < 3 && messages.length < count; step++) {
      const id = `call_${turn}_${step}`;
      const function_id = ["shell::run", "coder::read", "web::search"][step];
      messages.push({
        role: "assistant",
        content: [
          { type: "thinking", text: words(share * 0.3), signature: "c2lnbmVk" },
          { type: "function_call", id, function_id, arguments: { path: `src/part_${turn}.rs`, lines: [turn, turn + 40] } },
        ],
        stop_reason: "function_call",
        model: "gpt-4o",
        provider: "openai_api",
        timestamp,
      });
      messages.push({
        role: "function_result",
        function_call_id: id,
        function_id,
        content: [{ type: "text", text: words(share * 1.9) }],
        details: { exit: 0 },
        is_error: false,
        timestamp,
      });
    }
    messages.push({
      role: "assistant",
      content: [{ type: "text", text: words(share * 0.6) }],
      stop_reason: "end",
      model: "gpt-4o",
      provider: "openai_api",
      timestamp,
    });
  }
  return messages.slice(0, count);
}

// Words as they are in code, prose and listings; a text of about so many bytes.
function generator(seed) {
  const vocabulary =
    "the of and a to in is it that for fn let mut return const import export from if else match error warning line file path src/lib.rs tests/ 0x1f 404 2026-11-30 assert_eq!(left, right); => {} \n\n    \"name\": \"value\", café naïve 汉字 🙂 understanding configuration request response window tokens".split(
      " ",
    );
  let state = seed;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return (bytes) => {
    let text = "";
    while (text.length < bytes) text += `${vocabulary[next() % vocabulary.length]} `;
    return text;
  };
}
