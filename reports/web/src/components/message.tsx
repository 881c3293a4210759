import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use_api';
import { t } from '../lib/i18n';

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

// Shown in place of missing data: loading, an error with a way to continue, or the data's own page.
// An error while older data are shown is a line above them.
export function Loading<T>({
  loaded,
  children,
}: {
  loaded: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = loaded;
  return (
    <>
      {error && (
        <div class="notice notice-bad" role="alert">
          <strong>{t(error.status === 404 ? 'message.not_found' : 'message.could_not_load')}</strong>{' '}
          {error.message}{' '}
          <button type="button" onClick={reload}>
            {t('message.try_again')}
          </button>
        </div>
      )}
      {data !== null
        ? children(data)
        : !error && (
            <p class="empty" aria-busy="true">
              {t('message.loading')}
            </p>
          )}
    </>
  );
}
