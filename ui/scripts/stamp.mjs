// Writes down what the built files were made from; tests/http/api/test_ui.py reads it and needs no Node. Types leave
// no trace in what is built, so those that are made from the server's description do not count.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCES = [
  "index.html",
  "package-lock.json",
  "package.json",
  "public",
  "src",
  "tsconfig.json",
  "vite.config.ts",
];

function walk(path) {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => walk(join(path, name))) : [path];
}

const hash = createHash("sha256");
const files = SOURCES.flatMap(walk)
  .map((path) => path.split("\\").join("/"))
  .filter((path) => !path.endsWith(".test.ts") && path !== "src/api/schema.d.ts")
  .sort();
for (const path of files) {
  hash.update(`${path}\0`);
  hash.update(readFileSync(path));
  hash.update("\0");
}
const stamp = hash.digest("hex");
writeFileSync("../corvo/http/static/ui/.source-sha256", `${stamp}\n`);
console.log(`stamped ${files.length} source files: ${stamp.slice(0, 12)}`);
