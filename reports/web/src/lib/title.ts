import { useEffect } from 'preact/hooks';
import { t } from './i18n';

export function useTitle(...parts: string[]): void {
  const text = [...parts, t('app.title')].join(' · ');
  useEffect(() => {
    document.title = text;
  }, [text]);
}
