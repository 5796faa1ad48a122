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
