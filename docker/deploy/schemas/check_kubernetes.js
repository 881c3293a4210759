// Checks Kubernetes objects against the published API: its types (unknown and missing fields, values of the wrong
// type) by TypeScript, and the validators made from its JSON schemas (ranges, formats).
// usage: node check_kubernetes.js MODULES OBJECTS.json    OBJECTS: [{"where": "file: name", "object": {...}}, ...]
'use strict';
const fs = require('fs');
const path = require('path');
const modules = path.resolve(process.argv[2]);
const from = (name) => require(require.resolve(name, {paths: [modules]}));
const ts = from('typescript');
const objects = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
let findings = 0;
const find = (where, what) => {
  console.error(`${where}: ${what}`);
  ++findings;
};

// A TypeScript file for each object: TypeScript refuses a field in an object literal that its type lacks.
const sources = new Map();
for (const {where, object} of objects) {
  const api = object.apiVersion || '';
  const from_ = `kubernetes-models/${api}`;
  if (!fs.existsSync(path.join(modules, 'node_modules', from_, `${object.kind}.d.ts`))) {
    find(where, `no kind ${object.kind} in ${api}`);
    continue;
  }
  const name = path.join(modules, `object${sources.size}.ts`);
  const text = `import {I${object.kind} as Kind} from "${from_}/${object.kind}";\n` +
      `export const object: Kind = ${JSON.stringify(object, null, 1)};\n`;
  sources.set(name, {where, text});
  try {
    new (from(from_)[object.kind])(object).validate();
  } catch (error) {
    find(where, error.message);
  }
}
const options = {strict: true, noEmit: true, types: [], skipLibCheck: true, moduleResolution: ts.ModuleResolutionKind.Node10};
const host = ts.createCompilerHost(options);
const {getSourceFile, fileExists} = host;
host.fileExists = (name) => sources.has(name) || fileExists.call(host, name);
host.getSourceFile = (name, ...more) => sources.has(name) ?
    ts.createSourceFile(name, sources.get(name).text, ts.ScriptTarget.ES2020) : getSourceFile.call(host, name, ...more);
for (const d of ts.getPreEmitDiagnostics(ts.createProgram([...sources.keys()], options, host))) {
  const source = d.file && sources.get(d.file.fileName);
  find(source ? source.where : 'typescript', ts.flattenDiagnosticMessageText(d.messageText, ' ').slice(0, 400));
}
process.exit(findings ? 1 : 0);
