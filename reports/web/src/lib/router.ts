// The page's place: path and query of the address bar. Filters live in the query, so that a link
// contains everything.
import { useSyncExternalStore } from 'preact/compat';

const CHANGED = 'diopi:location';

function subscribe(notify: () => void): () => void {
  addEventListener('popstate', notify);
  addEventListener(CHANGED, notify);
  return () => {
    removeEventListener('popstate', notify);
    removeEventListener(CHANGED, notify);
  };
}

// `replace` changes the current entry of the browser's history instead of adding one: for typing.
export function navigate(href: string, replace = false): void {
  if (href === location.pathname + location.search) return;
  const samePage = href.split('?')[0] === location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  if (!samePage) scrollTo(0, 0);
  dispatchEvent(new Event(CHANGED));
}

export interface Place {
  path: string;
  query: URLSearchParams;
}

export function usePlace(): Place {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const cut = href.indexOf('?');
  return {
    path: cut < 0 ? href : href.slice(0, cut),
    query: new URLSearchParams(cut < 0 ? '' : href.slice(cut)),
  };
}

// The current path with some parameters changed; null or '' removes one.
export function withQuery(place: Place, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(place.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  return href(place.path, query);
}

// Commas stay readable: they separate the values of a filter.
export function href(path: string, query: URLSearchParams): string {
  const text = query.toString().replaceAll('%2C', ',');
  return text === '' ? path : `${path}?${text}`;
}

const part = encodeURIComponent;
export const to = {
  overview: '/',
  runs: '/runs',
  coverage: '/coverage',
  models: '/models',
  captures: '/captures',
  capture: (name: string) => `/captures/${part(name)}`,
  chip: (chip: string) => `/chips/${part(chip)}`,
  // A run opens on its failures by cause; with a filter it shows the matching cases.
  run: (run: string, filter?: Record<string, string>) =>
    href(`/runs/${part(run)}`, new URLSearchParams(filter ? { ...filter, view: 'cases' } : {})),
  performance: (run: string) => `/runs/${part(run)}?view=performance`,
  case: (run: string, id: string) => `/runs/${part(run)}/cases/${part(id)}`,
  compare: (a?: string, b?: string) =>
    href('/compare', new URLSearchParams({ ...(a ? { a } : {}), ...(b ? { b } : {}) })),
};

export type Route =
  | { page: 'overview' | 'runs' | 'compare' | 'coverage' | 'models' | 'captures' | 'unknown' }
  | { page: 'capture'; capture: string }
  | { page: 'chip'; chip: string }
  | { page: 'run'; run: string }
  | { page: 'case'; run: string; caseId: string };

export function parsePath(path: string): Route {
  let parts: string[];
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return { page: 'unknown' };
  }
  const [first, second, third, fourth] = parts;
  if (first === undefined) return { page: 'overview' };
  if (parts.length === 1) {
    const pages = ['runs', 'compare', 'coverage', 'models', 'captures'] as const;
    const page = pages.find((name) => name === first);
    if (page) return { page };
  }
  if (parts.length === 2 && first === 'chips' && second) return { page: 'chip', chip: second };
  if (parts.length === 2 && first === 'captures' && second) return { page: 'capture', capture: second };
  if (first !== 'runs' || !second) return { page: 'unknown' };
  if (parts.length === 2) return { page: 'run', run: second };
  if (parts.length === 4 && third === 'cases' && fourth) return { page: 'case', run: second, caseId: fourth };
  return { page: 'unknown' };
}
