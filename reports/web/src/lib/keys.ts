import { useLayoutEffect, useRef } from 'preact/hooks';

// Keys meant for a field, a dialog or the browser are not ours.
function isOurs(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const target = event.target as HTMLElement;
  if (target.closest('input, select, textarea, [contenteditable]')) return false;
  return document.querySelector('dialog[open]') === null;
}

// Keys of the page, wherever the focus is: {'j': next, '?': help}. They answer as soon as the page is seen: an effect
// after the next frame would lose a key pressed in between.
export function useKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const action = latest.current[event.key];
      if (action === undefined || !isOurs(event)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
