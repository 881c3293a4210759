import { t } from '../lib/i18n';

const HASH = /^[0-9a-f]{13,}$/;

function Value({ text }: { text: string }) {
  if (/^https?:\/\//.test(text)) {
    return (
      <a href={text} rel="noreferrer" target="_blank">
        {text}
      </a>
    );
  }
  return HASH.test(text) ? <span title={text}>{text.slice(0, 12)}</span> : <>{text}</>;
}

// The labels of a run: commit, branch, ticket, ... Links are left out where space is short.
export function Labels({ labels, short = false }: { labels: Record<string, string>; short?: boolean }) {
  const shown = Object.entries(labels).filter(([, value]) => !short || !/^https?:/.test(value));
  if (shown.length === 0) return null;
  return (
    <ul class="labels" aria-label={t('facts.labels')}>
      {shown.map(([key, value]) => (
        <li key={key}>
          <span class="muted">{key}</span> <Value text={value} />
        </li>
      ))}
    </ul>
  );
}
