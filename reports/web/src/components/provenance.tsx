import type { ComponentChildren } from 'preact';
import { t } from '../lib/i18n';

export interface Fact {
  name: string;
  value: ComponentChildren;
}

// Names and values, as a list that reads in two or more columns.
export function Facts({ facts }: { facts: (Fact | null | false)[] }) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact.name}>
              <dt>{fact.name}</dt>
              <dd>{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function Hash({ value }: { value: string }) {
  if (value === '') return <span class="muted">{t('common.unknown')}</span>;
  return (
    <code class="hash" title={value}>
      {value.slice(0, 16)}
    </code>
  );
}
