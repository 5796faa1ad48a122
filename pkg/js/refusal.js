/** What the engine says when it will not: the contract's code, the place and the remedy. */
export class Refusal extends Error {
  constructor({ code, message, status, path, detail }) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.status = status;
    if (path !== undefined) this.path = path;
    if (detail !== undefined) this.detail = detail;
  }
}

/** What a module throws, the JSON text of a refusal, as the package's own error. */
export async function refusing(work) {
  try {
    return await work();
  } catch (error) {
    throw typeof error === "string" ? new Refusal(JSON.parse(error)) : error;
  }
}

/** A value as JSON; `undefined` is `null`. Refuses what has none: a cycle, a BigInt. */
export function json(value) {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    throw new Refusal({ code: "parameter_invalid", status: 422, message: `This value has no JSON form: ${error.message}` });
  }
}
