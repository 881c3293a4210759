// A small stand-in for diopi-server --http: the built page, one made-up run of many cases, and one with measured times.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { chipPerformance, MEASURED, measuredRun, performance } from './fixture_performance';
import { agents, lab, manyChips, manyCovered, manyLab, manyModels } from './fixture_lab';
import { caseRow, chipPage, chipRow, chipRuns, COLUMNS, casePage, failures, runPage } from './fixture_run';

const PAGE = fileURLToPath(new URL('../dist/index.html', import.meta.url));

function answer(path: string, query: URLSearchParams, cases: number): unknown {
  if (path === '/chips') return { chips: query.has('to') ? [] : [chipRow(cases)] };
  if (path === '/chips/fixture') return chipPage(cases);
  if (path === '/lab') return query.has('to') ? { chips: [], operators: [], failures: [] } : lab(cases);
  if (path === '/agents') return { agents: agents() };
  if (path === '/runs') return { runs: chipRuns(cases) };
  if (path === '/explorations') return { explorations: [] };
  if (path === '/models') return { chips: [], models: [] };
  if (path === '/runs/large') return runPage(cases);
  if (path === '/performance') return chipPerformance(query.get('chip') ?? '');
  if (path === `/runs/${MEASURED}`) return measuredRun(cases);
  if (path === `/runs/${MEASURED}/performance`) return performance(query.get('against'));
  if (/^\/runs\/(large|measured)\/failures$/.test(path)) return failures(cases);
  if (path === '/runs/large/cases') {
    const rows = Array.from({ length: cases }, (_, i) => caseRow(i));
    return { run_id: 'large', state: 'finished', columns: COLUMNS, rows };
  }
  const point = /^\/runs\/(?:large|measured)\/cases\/.*point_(\d+)$/.exec(path);
  if (point) return casePage(Number(point[1]));
  const history = /^\/cases\/(.*)\/history$/.exec(path);
  if (history) {
    const [case_id, chip] = [decodeURIComponent(history[1] ?? ''), 'fixture'];
    return { case_id, chip, points: [], flaky: false, changes: 0, first_bad: null, last_good: null };
  }
  return null;
}

export interface FixtureServer {
  origin: string;
  close: () => void;
}

function answerOfMany(path: string, cases: number): unknown {
  if (path === '/chips') return { chips: manyChips(cases) };
  if (path === '/lab') return manyLab(cases);
  if (path === '/coverage') return manyCovered();
  if (path === '/models') return manyModels();
  return null;
}

// `many`: of a lab with 114 chips.
export async function serveFixture(cases: number, many = false): Promise<FixtureServer> {
  const page = readFileSync(PAGE);
  const server = createServer((request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (!path.startsWith('/api/v1')) {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    const body =
      (many ? answerOfMany(path.slice('/api/v1'.length), cases) : null) ??
      answer(path.slice('/api/v1'.length), searchParams, cases);
    const text = JSON.stringify(body ?? { error: { code: 'NOT_FOUND', message: `no ${path}` } });
    response.writeHead(body === null ? 404 : 200, { 'Content-Type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
