// Requests data from the server. After a 401 the page asks for a token, which it then sends in a
// cookie.
import { t } from '../lib/i18n';

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0: no answer
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const COOKIE = 'diopi_token';

// SameSite=Strict: no other site can make the browser send it. A session cookie: closing the browser forgets it.
export function storeToken(token: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${COOKIE}=${encodeURIComponent(token)}; Path=/; SameSite=Strict${secure}`;
}

async function failure(response: Response): Promise<ApiError> {
  try {
    const body = (await response.json()) as { error?: { code?: string; message?: string } };
    const message = body.error?.message ?? response.statusText;
    return new ApiError(response.status, body.error?.code ?? '', message);
  } catch {
    return new ApiError(
      response.status,
      '',
      t('message.answered', { status: `${response.status} ${response.statusText}` }),
    );
  }
}

// `path` is below /api/v1 and starts with a slash. Rejects with an ApiError, or an AbortError when `signal` fires.
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, {
      signal: signal ?? null,
      headers: { Accept: 'application/json' },
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'UNREACHABLE', t('message.no_answer'));
  }
  if (!response.ok) throw await failure(response);
  return (await response.json()) as T;
}
