// Where leases are kept when the host keeps none: in memory.

/** Leases of this process. */
export function memoryLeases() {
  const held = new Map();
  return {
    get: (key) => held.get(key) ?? null,
    swap(key, record) {
      const before = held.get(key) ?? null;
      if (record === null) held.delete(key);
      else held.set(key, record);
      return before;
    },
  };
}
