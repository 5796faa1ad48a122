// How a file is opened step by step: whoever has its bytes hands over the stretch that is asked for.

/** Gives an opening what it asks for until it is whole, and answers what it came to. */
export async function drive(steps, { size, read }, { signal, onProgress } = {}) {
  try {
    for (let stretch; (stretch = steps.step()); ) {
      const { from, len } = stretch;
      stretch.free();
      signal?.throwIfAborted();
      const bytes = await read(from, len);
      steps.give(bytes);
      onProgress?.({ loaded: from + bytes.length, total: size });
    }
  } catch (error) {
    steps.free();
    throw error;
  }
  return steps.finish();
}

/** What was written: its text, which comes in pieces, and what is otherwise in it. */
export function taken(written) {
  let text = "";
  written.giveText((piece) => (text += piece));
  const { warnings } = written;
  written.free();
  return { text, warnings };
}
