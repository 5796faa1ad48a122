// The way back from an answer.
import { Refusal } from "../refusal.js";

/** The messages of the request that an answer was for, with what was appended to the answer's since. */
export function undo(messages, requested, { requested: before, answered }) {
  if (requested.length !== before || messages.length < answered) {
    throw new Refusal({
      code: "parameter_invalid",
      status: 422,
      message: `This undo is of a request with ${before} messages and an answer with ${answered}; given are ${requested.length} and ${messages.length}.`,
    });
  }
  return [...requested, ...messages.slice(answered)];
}
