import { language, LANGUAGES, t, type Language } from '../lib/i18n';

const ALL = Object.keys(LANGUAGES) as Language[];

// Shows the language to change to, in that language.
export function LanguageToggle({ onChoose }: { onChoose: (chosen: Language) => void }) {
  const next = ALL[(ALL.indexOf(language()) + 1) % ALL.length] ?? 'en';
  const { name, short, tag } = LANGUAGES[next];
  const says = t('app.language', { name: LANGUAGES[language()].name, next: name });
  return (
    <button type="button" class="icon-button" onClick={() => onChoose(next)} aria-label={says} title={says}>
      <span lang={tag} aria-hidden="true">
        {short}
      </span>
    </button>
  );
}
