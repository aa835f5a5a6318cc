// Types of the API, from the server's own description: node scripts/types.mjs [openapi.json or URL]
// Without an argument the description is asked of the Python package next door; no node has to run. What it
// writes is not committed: `make ui` and `make test-ui` make it anew, so it is always of the code beside it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const PRINT = `
import msgspec
from corvo.http.api.openapi import document
from corvo.http.api.table import routes
print(msgspec.json.encode(document(routes(), "0")).decode())
`;

const source = process.argv[2];
let text;
if (!source) text = execFileSync("../.venv/bin/python", ["-c", PRINT], { maxBuffer: 1 << 26 }).toString();
else if (source.startsWith("http")) text = await (await fetch(source)).text();
else text = readFileSync(source, "utf8");

const ast = await openapiTS(JSON.parse(text), { alphabetize: true, defaultNonNullable: false });
const head = "// Generated from the server's /openapi.json by `npm run types`. Do not edit.\n";
writeFileSync("src/api/schema.d.ts", head + astToString(ast));
