import { useLayoutEffect, useState } from 'preact/hooks';
import { applyTheme, storedTheme, THEMES } from '../lib/theme';

const SIGN = { auto: '◐', light: '☀', dark: '☾' };

export function ThemeToggle() {
  const [theme, setTheme] = useState(storedTheme);
  useLayoutEffect(() => applyTheme(theme), [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
  return (
    <button
      type="button"
      class="icon-button"
      onClick={() => setTheme(next)}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
    >
      <span aria-hidden="true">{SIGN[theme]}</span>
    </button>
  );
}
