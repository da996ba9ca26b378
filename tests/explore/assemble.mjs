// Usage: node assemble.mjs explore.js content.json SETS.json: a line of JSON, the files, for each set.
import { readFileSync } from "node:fs";

const [page, content, sets] = process.argv.slice(2);
const { assemble } = await import(page);
const known = JSON.parse(readFileSync(content, "utf8"));
for (const { answers, name } of JSON.parse(readFileSync(sets, "utf8"))) {
  const files = assemble(known, answers, name);
  console.log(JSON.stringify(Object.fromEntries([...files].map(([path, { text }]) => [path, text]))));
}
