// A conversation as a file of another shape.
import { taken } from "./drive.js";
import { importer } from "./importer.js";
import { refusing } from "./refusal.js";

/** Writes a conversation as the native file or as the body of a request to a provider. */
export async function convert(conversation, to) {
  const module = await importer();
  const written = await refusing(() => module.convert(JSON.stringify(conversation), to));
  const { text, warnings } = taken(written);
  return { body: JSON.parse(text), warnings: JSON.parse(warnings) };
}
