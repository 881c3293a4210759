import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError, get } from './client';

const UNAUTHENTICATED = 'diopi:unauthenticated';

// Calls `listener` with the server's message whenever it asks for a token. Returns a function that
// stops this.
export function onUnauthenticated(listener: (message: string) => void): () => void {
  const onEvent = (event: Event) => listener((event as CustomEvent<string>).detail);
  addEventListener(UNAUTHENTICATED, onEvent);
  return () => removeEventListener(UNAUTHENTICATED, onEvent);
}

export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
  loading: boolean;
  reload: () => void;
}

interface State<T> {
  path: string | null;
  data: T | null;
  error: ApiError | null;
}

// Loads `path` and keeps it fresh: loads again on reload(), and every `pollMs` unless that is null.
// The last data of the same path stay while it loads again or when that fails; null loads nothing.
export function useApi<T>(path: string | null, pollMs: number | null = null): Loaded<T> {
  const [state, setState] = useState<State<T>>({ path: null, data: null, error: null });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((n) => n + 1), []);

  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    let timer: number | undefined;
    const load = async () => {
      try {
        const data = await get<T>(path, abort.signal);
        setState({ path, data, error: null });
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        if (error.status === 401) dispatchEvent(new CustomEvent(UNAUTHENTICATED, { detail: error.message }));
        setState((old) => ({ path, data: old.path === path ? old.data : null, error }));
      }
      if (pollMs !== null && !abort.signal.aborted) timer = window.setTimeout(() => void load(), pollMs);
    };
    void load();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [path, pollMs, turn]);

  const current = state.path === path;
  return {
    data: current ? state.data : null,
    error: current ? state.error : null,
    loading: path !== null && !current,
    reload,
  };
}
