// Leases as files, for processes that share a folder: one file a key, written whole or not at all.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "node:crypto";

/** Leases in the files of a folder; `~` is the home folder. A folder that cannot be made is an error. */
export async function fileLeases(folder) {
  const home = folder === "~" || folder.startsWith("~/") ? join(homedir(), folder.slice(1)) : folder;
  const scope = join(home, "context_lease");
  await mkdir(scope, { recursive: true });
  const fileOf = (key) => join(scope, `${encoded(key)}.json`);
  // Never from memory: another process may have changed it.
  const get = (key) => stored(fileOf(key));
  // Within this process swaps of a key come one after the other.
  const turns = new Map();
  return {
    get,
    swap(key, record) {
      const turn = (turns.get(key) ?? Promise.resolve()).then(async () => {
        const before = await get(key);
        if (record === null) await rm(fileOf(key), { force: true });
        else await written(fileOf(key), record);
        return before;
      });
      turns.set(
        key,
        turn.catch(() => {}),
      );
      return turn;
    },
  };
}

async function stored(file) {
  try {
    const record = JSON.parse(await readFile(file, "utf8"));
    return typeof record?.nonce === "string" && Number.isInteger(record.ts) ? record : null;
  } catch (error) {
    if (error.code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function written(file, record) {
  const beside = `${file}.${randomUUID()}`;
  await writeFile(beside, JSON.stringify(record));
  await rename(beside, file);
}

// A key is no path, whatever it holds.
function encoded(key) {
  const bytes = new TextEncoder().encode(key);
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9._-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
