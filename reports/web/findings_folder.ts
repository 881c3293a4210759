// cases/findings, whose texts programs and this page share: beside the page's sources in the copy that the build makes, and
// in the repository otherwise.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const copied = folder('findings');

export const FINDINGS = existsSync(copied) ? copied : folder('../../cases/findings');
