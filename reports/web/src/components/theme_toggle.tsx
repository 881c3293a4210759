import { useLayoutEffect, useState } from 'preact/hooks';
import { t } from '../lib/i18n';
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
      aria-label={t('theme.change', { theme: t(`theme.${theme}`), next: t(`theme.${next}`) })}
      title={t('theme.is', { theme: t(`theme.${theme}`) })}
    >
      <span aria-hidden="true">{SIGN[theme]}</span>
    </button>
  );
}
