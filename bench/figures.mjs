// How figures are printed: the figure, its target, and whether it holds.

export const median = (values) => quantile(values, 0.5);
export const p95 = (values) => quantile(values, 0.95);

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

export const ms = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
export const kb = (bytes) => `${(bytes / 1024).toFixed(0)} KB`;

export function figure(name, value, { unit, target, least } = {}) {
  const told = (word, bound, holds) => (bound === undefined ? "" : `   target at ${word} ${unit(bound)}: ${holds ? "holds" : "MISSED"}`);
  const bound = told("most", target, value <= target) + told("least", least, value >= least);
  console.log(`  ${name.padEnd(44)} ${unit(value).padStart(10)}${bound}`);
}
