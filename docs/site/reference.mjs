// Makes the reference pages of the site from what the programs are made of: the JSON schemas, the .proto files, the
// manuals beside the code and the man pages. usage: node reference.mjs SOURCE_FOLDER OUTPUT_FOLDER MAN_PAGES_FOLDER SCHEMA
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualPage } from './manuals.mjs';

// What stands in a cell of a table: one line, no markup of ours or Vue's.
const cell = (text) =>
  text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{', '&#123;').trim();
const table = (heads, rows) =>
  rows.length === 0
    ? ''
    : [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n') + '\n';

// "integer or null", with links to other definitions.
export function typeOf(schema) {
  if (schema === true || schema === undefined) return 'anything';
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return `\`${cell(JSON.stringify(schema.const))}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return parts.map(typeOf).join(' or ');
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items)}` : 'list';
  if (schema.type === 'object' && schema.additionalProperties)
    return `object of ${typeOf(schema.additionalProperties)} by name`;
  return [schema.type ?? 'object'].flat().join(' or ');
}

// The fields of a schema and of the objects inside it, `outer.inner`.
export function fieldsOf(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.type === 'array' ? field.items : field;
    const path = `${prefix}${name}${field.type === 'array' ? '[]' : ''}`;
    const row = [`\`${prefix}${name}\``, typeOf(field), cell(field.description ?? '')];
    return [row, ...(inner?.type === 'object' ? fieldsOf(inner, `${path}.`) : [])];
  });
}

function definition([name, schema]) {
  const [, path, rest] = /^(\/[^ :,]*)?(.*)$/.exec(cell(schema.description ?? ''));
  const says = path ? `The answer of \`${path}\`${rest || '.'}` : rest;
  const fields = fieldsOf(schema);
  const kind = fields.length === 0 ? `${typeOf(schema)}\n` : '';
  return `### ${name}\n\n${says}\n\n${kind}${table(
    ['field', 'type', 'meaning'],
    fields,
  )}`;
}

function httpPage(read, schema) {
  const api = read('server/http/API.md');
  const definitions = Object.entries(JSON.parse(schema).$defs);
  return `${api}\n## Schemas\n\nMade from the JSON Schema that \`/api/v1/schema\` serves.\n\n${definitions.map(definition).join('\n')}`;
}

// The comment that ends at a line: the lines that begin with // above it.
function commentAbove(lines, at) {
  const found = [];
  for (let i = at - 1; i >= 0 && lines[i].trim().startsWith('//'); --i) found.unshift(lines[i].trim().slice(2).trim());
  return found.join(' ');
}

// The services, messages and enums of a .proto file in order: {kind, name, says, rows}.
export function parseProto(text) {
  const lines = text.split('\n');
  const blocks = [];
  const open = [];
  lines.forEach((line, i) => {
    const begin = /^\s*(message|enum|service|oneof) (\w+) \{/.exec(line);
    const after = /\/\/ ?(.*)$/.exec(line)?.[1] ?? '';
    // A comment after a field may go on in the lines below, which have nothing else and are indented further.
    let says = [commentAbove(lines, i), after].filter(Boolean).join(' ');
    for (let next = i + 1; after && /^\s{20,}\/\/ /.test(lines[next] ?? ''); ++next)
      says += ` ${lines[next].trim().slice(2).trim()}`;
    if (begin) {
      const [, kind, name] = begin;
      const path = [...open.filter((block) => block.kind !== 'oneof').map((block) => block.name), name].join('.');
      const block = { kind, name: kind === 'oneof' ? name : path, says: commentAbove(lines, i), rows: [] };
      if (kind !== 'oneof') blocks.push(block);
      if (!/\}\s*(\/\/.*)?$/.test(line)) open.push(block);
      return;
    }
    if (/^\s*\}/.test(line)) open.pop();
    const holder = open.findLast((block) => block.kind !== 'oneof');
    const rpc = /^\s*rpc (\w+)\s*\((.*?)\)\s*returns\s*\((.*?)\)/.exec(line);
    const field = /^\s*((?:repeated |optional )?[\w.]+(?:<.*?>)?) (\w+) = (\d+)/.exec(line);
    const value = /^\s*(\w+) = (\d+);/.exec(line);
    if (rpc) holder?.rows.push([`\`${rpc[1]}\``, cell(rpc[2]), cell(rpc[3]), cell(says)]);
    else if (holder?.kind === 'enum' && value) holder.rows.push([`\`${value[1]}\``, value[2], cell(says)]);
    else if (holder && field) holder.rows.push([`\`${field[2]}\``, cell(field[1]), field[3], cell(says)]);
  });
  return blocks;
}

const HEADS = {
  service: ['call', 'request', 'answer', 'meaning'],
  message: ['field', 'type', 'number', 'meaning'],
  enum: ['value', 'number', 'meaning'],
};

function grpcPage(read) {
  const files = ['service', 'run', 'selection', 'verdict', 'case', 'tensor', 'profile', 'adaptor', 'spec'];
  const parts = files.map((name) => {
    const path = `proto/diopi/v1/${name}.proto`;
    const blocks = parseProto(read(path)).map(
      ({ kind, name: block, says, rows }) => `### ${block}\n\n${cell(says)}\n\n${table(HEADS[kind], rows)}`,
    );
    return `## ${path}\n\n${blocks.join('\n')}`;
  });
  return `# gRPC reference

Made from the \`.proto\` files, which are the authority. The server also answers reflection, so \`grpcurl\` and similar
programs list and call everything. Errors are gRPC status codes with a message that names what was wrong.

${parts.join('\n')}`;
}

const COPIES = {
  'operator-files.md': 'cases/ops/GUIDE.md',
  'profiles.md': 'client/profile/GUIDE.md',
  'expectations.md': 'reports/gate/README.md',
  'changes.md': 'CHANGELOG.md',
};

const PROGRAMS = ['diopi-agent', 'diopi-cli', 'diopi-server'];

function main([source, output, manuals, schema]) {
  const read = (path) => readFileSync(join(source, path), 'utf8');
  mkdirSync(output, { recursive: true });
  const pages = { 'http.md': httpPage(read, readFileSync(schema, 'utf8')), 'grpc.md': grpcPage(read) };
  for (const [name, path] of Object.entries(COPIES)) pages[name] = read(path);
  for (const name of PROGRAMS)
    pages[`${name}.md`] = manualPage(readFileSync(join(manuals, `${name}.1`), 'utf8'));
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(output, name), text);
}

if (process.argv.length > 4) main(process.argv.slice(2));
