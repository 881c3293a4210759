import { useEffect } from 'preact/hooks';

export function useTitle(...parts: string[]): void {
  const text = [...parts, 'DIOPI conformance'].join(' · ');
  useEffect(() => {
    document.title = text;
  }, [text]);
}
