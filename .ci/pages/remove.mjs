// Removes a folder in which a process that has been ended may still write for a moment, by
// helpers of its own. Node's own retries do not reach folders within. What cannot be removed is
// left to whoever clears the folder for temporary files: it says nothing about the pages.
import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

export async function remove(folder) {
  for (let left = 40; ; left--) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0) {
        console.warn(`  ${folder} is left: ${error.message}`);
        return;
      }
      await setTimeout(250);
    }
  }
}
