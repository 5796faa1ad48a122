// Where there are no files, there are no lease files.
import { Refusal } from "../refusal.js";

export async function fileLeases() {
  throw new Refusal({
    code: "parameter_invalid",
    status: 422,
    path: "/lease_dir",
    message: "Lease files need a file system; leave lease_dir out, or give createContextManager leases of your own.",
  });
}
