// screenshot.mjs FOLDER: the README's pictures, of the built page on its own sample, light and dark.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { panels, planned } from "./panel.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const all = await panels();
try {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await all.open((page) => page.emulateMedia({ colorScheme, reducedMotion: "reduce" }));
    await planned(page);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `panel-${colorScheme}.png`) });
    await close();
  }
} finally {
  await all.close();
}
