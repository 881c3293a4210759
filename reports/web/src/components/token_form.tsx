import { useState } from 'preact/hooks';
import { storeToken } from '../api/client';
import { rich, t } from '../lib/i18n';

// Shown instead of a page when the server asks for a token.
export function TokenForm({ message, onToken }: { message: string; onToken: () => void }) {
  const [token, setToken] = useState('');
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (token.trim() === '') return;
    storeToken(token.trim());
    onToken();
  };
  return (
    <form class="card token-form" onSubmit={onSubmit}>
      <h1>{t('token.required')}</h1>
      <p class="muted">{message}</p>
      <label for="token">{t('token.token')}</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        value={token}
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        {t('token.open')}
      </button>
      <p class="muted small">
        {rich('token.kept', {
          command: <code>diopi-server token add --name NAME --role read</code>,
        })}
      </p>
    </form>
  );
}
