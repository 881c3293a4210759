// The real programs as processes, over a data folder of their own.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export const BUILD = process.env['DIOPI_BUILD'] ?? fileURLToPath(new URL('../../../build', import.meta.url));
export const program = (name: string): string => join(BUILD, 'bin', name);
export const vendor = (name: string): string => join(BUILD, 'lib/vendors', `${name}.so`);
export const CPU = join(BUILD, 'lib/libdiopi_cpu.so');

export interface Finished {
  code: number | null;
  out: string;
  err: string;
}

// Waits for the program's end. `shell` runs the first word as a line of the shell, as a user would paste it.
export function run(
  words: string[],
  env: Record<string, string> = {},
  cwd?: string,
  shell = false,
): Promise<Finished> {
  const [command = '', ...args] = words;
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    cwd,
    shell,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

// The same, for programs that must succeed; an agent's exit status 1 only means that something
// failed.
export async function mustRun(
  words: string[],
  allowed = [0],
  env: Record<string, string> = {},
): Promise<string> {
  const { code, out, err } = await run(words, env);
  if (code === null || !allowed.includes(code)) {
    throw new Error(`${words.join(' ')}: exit status ${code}\n${(out + err).slice(-2000)}`);
  }
  return out;
}

// The options for the calls of models (names, or globs, with commas), small enough for a test.
export const scaledModels = (models: string): string[] => ['--model', models, '--max-bytes', '16K'];

export class TempFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'diopi-web-'));
  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

// diopi-server on free ports of the loopback address.
export class Server {
  private constructor(
    readonly process: ChildProcess,
    readonly address: string,
    readonly origin: string,
  ) {}

  static async start(data: string, more: string[] = []): Promise<Server> {
    const args = ['--data', data, '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0', '--ready-fd', '3'];
    const child = spawn(program('diopi-server'), [...args, '--log-level', 'warn', ...more], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
    const found: Record<string, string> = {};
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
      const [word = '', address = ''] = line.split(' ');
      found[word] = address;
    }
    const { ready, http } = found;
    if (!ready || !http) throw new Error(`diopi-server did not start: ${err.slice(-2000)}`);
    return new Server(child, ready, http.startsWith('http') ? http : `http://${http}`);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
  }

  agentWords(library: string, chip: string, folder: string, more: string[] = []): string[] {
    const report = join(folder, `${encodeURIComponent(chip)}.csv`);
    const words = [program('diopi-agent'), '--server', this.address, '--impl', library, '--chip', chip];
    return [...words, '--error-report', report, '--quiet', ...more];
  }

  // A whole run; returns its id.
  async testLibrary(library: string, chip: string, folder: string, more: string[] = []): Promise<string> {
    const out = await mustRun(this.agentWords(library, chip, folder, more), [0, 1]);
    return runId(out);
  }
}

// From the agent's last line, "Results run ID in FILE".
export function runId(out: string): string {
  const id = /run (\d{8}-\d{6}-\w+)/.exec(out)?.[1];
  if (id === undefined) throw new Error(`no run in: ${out.slice(-500)}`);
  return id;
}
