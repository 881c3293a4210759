import { count } from '../lib/format';
import { t } from '../lib/i18n';
import { Head } from './tips';

interface Props<Kind extends string> {
  kinds: Kind[]; // of each chip
  looks: Record<Kind, { sign: string; tone: string }>;
  says: (kind: Kind) => string;
}

// A row's cells in one: how many chips have each kind. Stands for a column per chip where there are too many.
export function KindCounts<Kind extends string>({ kinds, looks, says }: Props<Kind>) {
  return (
    <td class="kind-counts">
      {(Object.keys(looks) as Kind[]).map((kind) => {
        const n = kinds.filter((one) => one === kind).length;
        return (
          <span key={kind} class={n > 0 ? `tone-${looks[kind].tone}` : 'muted'} title={says(kind)}>
            {looks[kind].sign} {count(n)}
          </span>
        );
      })}
    </td>
  );
}

export const KindCountsHead = ({ n }: { n: number }) => (
  <Head says={t('term.many_chips')}>{t('chips.counted', { n })}</Head>
);
