import { useState } from 'preact/hooks';
import { storeToken } from '../api/client';

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
      <h1>This server requires a token</h1>
      <p class="muted">{message}</p>
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        value={token}
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        Open
      </button>
      <p class="muted small">
        The browser keeps it in a cookie until it is closed. The server's administrator makes one with{' '}
        <code>diopi-server token add --name NAME --role read</code>.
      </p>
    </form>
  );
}
