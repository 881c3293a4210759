// Light, dark, or as the system says. Kept in the browser.
export type Theme = 'auto' | 'light' | 'dark';
export const THEMES: Theme[] = ['auto', 'light', 'dark'];
const KEY = 'diopi_theme';
export const THEME_CHANGED = 'diopi:theme';

export function storedTheme(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return THEMES.find((t) => t === theme) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The browser stores nothing: the theme lasts until the user leaves the page.
  }
  dispatchEvent(new Event(THEME_CHANGED));
}

// The current value of a custom colour such as "--good", as the browser resolves it.
export function colour(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
