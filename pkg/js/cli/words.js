// The command line's grammar: words, and flags that take none, one or many of the words after them.

/** The command was written wrongly. */
export class UsageError extends Error {}

/**
 * `["FILE", "--var", "a=1", "b=2", "--json"]` → `{ words: ["FILE"], flags: { var: ["a=1", "b=2"], json: true } }`.
 * `arity` says per flag how many words it takes: `none`, `one` or `many`. A flag may be `--name=value`;
 * `-` is a word; a flag that takes many may be given again.
 */
export function parseWords(argv, arity) {
  const words = [];
  const flags = {};
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at];
    if (!word.startsWith("--")) {
      words.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const name = word.slice(2, equals < 0 ? undefined : equals);
    const attached = equals < 0 ? [] : [word.slice(equals + 1)];
    if (!Object.hasOwn(arity, name)) throw new UsageError(`there is no flag --${name}.`);
    if (arity[name] !== "many" && Object.hasOwn(flags, name)) throw new UsageError(`--${name} is given twice.`);
    if (arity[name] === "none") {
      if (attached.length > 0) throw new UsageError(`--${name} takes no value.`);
      flags[name] = true;
    } else if (arity[name] === "one") {
      // A text may begin with dashes only when it is attached: --prompt=--why.
      const value = attached[0] ?? argv[++at];
      if (value === undefined || (attached.length === 0 && value.startsWith("--"))) throw new UsageError(`--${name} needs a value.`);
      flags[name] = value;
    } else {
      const values = [...attached];
      while (at + 1 < argv.length && !argv[at + 1].startsWith("--")) values.push(argv[++at]);
      if (values.length === 0) throw new UsageError(`--${name} needs a value.`);
      flags[name] = [...(flags[name] ?? []), ...values];
    }
  }
  return { words, flags };
}
