// Parses the Bicep files of a folder with tree-sitter's grammar, compiled to WebAssembly, and reports syntax errors:
//   node check.mjs ../../docs/azure
// The exit status is 1 if there is an error, or no file.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Language, Parser } from "web-tree-sitter";

const folder = process.argv[2];
const grammar = path.join(
  path.dirname(createRequire(import.meta.url).resolve("tree-sitter-bicep/package.json")),
  "tree-sitter-bicep.wasm",
);
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(grammar));

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".bicep"));
let errors = 0;
for (const name of files) report(path.join(folder, name), parse(readFileSync(path.join(folder, name), "utf8")));
// The grammar must find a mistake where there is one.
if (!parse("param name string = {").hasError) throw new Error("the parser accepts anything");
console.log(`${files.length} Bicep files, ${errors} errors`);
process.exit(files.length > 0 && errors === 0 ? 0 : 1);

function parse(source) {
  return parser.parse(source).rootNode;
}

/** Reports the errors of a syntax tree with their places. */
function report(file, node) {
  if (node.isError || node.isMissing) {
    const { row, column } = node.startPosition;
    console.error(`${file}:${row + 1}:${column + 1}: syntax error at ${JSON.stringify(node.text.slice(0, 40))}`);
    errors++;
  } else if (node.hasError) {
    for (const child of node.children) report(file, child);
  }
}
