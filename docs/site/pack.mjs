// Packs the built site into one tar archive of gzip files, which diopi-server serves (server/http/site.h).
// usage: node pack.mjs FOLDER OUTPUT.tar
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

function files(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));
}

// A POSIX ustar header; the same every time, so owner and time are 0.
function header(name, size) {
  if (Buffer.byteLength(name) > 100) throw new Error(`pack: ${name} is longer than a tar header takes`);
  const block = Buffer.alloc(512);
  const octal = (value, at, length) => block.write(value.toString(8).padStart(length - 1, '0'), at, 'ascii');
  block.write(name, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257, 'binary');
  octal(block.reduce((sum, byte) => sum + byte, 0), 148, 7);
  return block;
}

const [folder, output] = process.argv.slice(2);
const parts = files(folder).flatMap((path) => {
  const data = gzipSync(readFileSync(path), { level: 9 });
  return [header(`${relative(folder, path)}.gz`, data.length), data, Buffer.alloc((512 - (data.length % 512)) % 512)];
});
writeFileSync(output, Buffer.concat([...parts, Buffer.alloc(1024)]));
