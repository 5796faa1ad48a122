// Answers as a terminal shows them.

/** A rendered estimate in the text form of the kernel's own command line. */
export function previewText(answer) {
  const { history, storage, memory } = answer;
  const reason = history.skipped_reason ? ` (${history.skipped_reason})` : "";
  const compacted = history.compacted > 0 ? `  compacted ${history.compacted}` : "";
  const bound = storage.within_bound ? "within bound" : `over: ${storage.refusal}`;
  const slots = Object.entries(answer.slots).map(([slot, version]) => `${slot} v${version}`);
  const blocks = table(
    ["#", "block", "type", "role", "state", "tokens", "allocated"],
    answer.blocks.map((row) => [row.index, row.block, row.type, row.role, row.state, row.tokens, row.allocated_tokens]),
    [5, 6],
  );
  return [
    `mechanism: ${answer.mechanism}`,
    `tokens:    ${answer.input_tokens} (${answer.tokenizer_exact ? "exact" : "estimated"})  limit ${answer.catalog_input_token_limit ?? "-"}  advisory ${answer.advisory_input_token_limit ?? "-"}`,
    `history:   selected ${history.selected}  skipped ${history.skipped}${reason}${compacted}`,
    `storage:   ${storage.bytes} of ${storage.bound} bytes (${bound})`,
    "blocks:",
    ...blocks.map((line) => `  ${line}`),
    `memory:    ${memory.included} included, ${memory.omitted} omitted`,
    `slots:     ${slots.join(", ") || "(none registered)"}`,
    "",
    "entries:",
    JSON.stringify(answer.entries, null, 2),
    "",
  ].join("\n");
}

/** The catalogue, one model a line. */
export function modelsText(rows) {
  const lines = table(
    ["model", "counter", "input", "combined", "output", "dated", "source"],
    rows.map((row) => [row.model, counterWord(row.counter), row.input_tokens, row.combined_tokens, row.max_output_tokens, row.dated, row.source]),
    [2, 3, 4],
  );
  return `${lines.join("\n")}\n`;
}

/** The conversations of a file, one a line, their branches under them. */
export function listText(format, conversations) {
  const rows = conversations.flatMap(({ index, title, turns, bytes, branches }) => [
    [index, turns, bytes, title],
    ...branches.map((branch) => ["", branch.turns, "", `  ${branch.current ? "*" : " "} ${branch.id}  ${branch.title}`]),
  ]);
  return [`format: ${format}`, ...table(["#", "turns", "bytes", "title"], rows, [0, 1, 2]), ""].join("\n");
}

function counterWord(counter) {
  if (counter === undefined || counter === null) return "bytes/4";
  if (typeof counter === "string") return counter;
  return counter.kind === "anchored" ? `${counter.encoding} x ${counter.safety_factor}` : counter.kind;
}

/** Columns two spaces apart, the numeric ones right-aligned; null is `-`. */
function table(header, rows, numeric) {
  const cells = [header, ...rows.map((row) => row.map((cell) => String(cell ?? "-")))];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells.map((row) =>
    row
      .map((cell, column) => (numeric.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join("  ")
      .trimEnd(),
  );
}
