import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { onUnauthenticated } from './api/use_api';
import { Help } from './components/help';
import { Link } from './components/link';
import { Tips } from './components/tips';
import { LanguageToggle } from './components/language_toggle';
import { ThemeToggle } from './components/theme_toggle';
import { TokenForm } from './components/token_form';
import { language, LANGUAGES, setLanguage, t, type Language } from './lib/i18n';
import { parsePath, to, usePlace, type Route } from './lib/router';
import { CapturePageView } from './pages/capture';
import { CapturesPageView } from './pages/captures';
import { CasePageView } from './pages/case';
import { ChipPageView } from './pages/chip';
import { ComparePageView } from './pages/compare';
import { CoveragePageView } from './pages/coverage';
import { ModelsPageView } from './pages/models';
import { Overview } from './pages/overview';
import { RunPageView } from './pages/run';
import { RunsPageView } from './pages/runs';

function page(route: Route): ComponentChildren {
  switch (route.page) {
    case 'overview':
      return <Overview />;
    case 'runs':
      return <RunsPageView />;
    case 'compare':
      return <ComparePageView />;
    case 'coverage':
      return <CoveragePageView />;
    case 'models':
      return <ModelsPageView />;
    case 'captures':
      return <CapturesPageView />;
    case 'capture':
      return <CapturePageView key={route.capture} capture={route.capture} />;
    case 'chip':
      return <ChipPageView key={route.chip} chip={route.chip} />;
    case 'run':
      return <RunPageView key={route.run} run={route.run} />;
    case 'case':
      return <CasePageView key={`${route.run} ${route.caseId}`} run={route.run} caseId={route.caseId} />;
    case 'unknown':
      return (
        <p class="empty">
          {t('app.no_such_page')} <Link href={to.overview}>{t('app.overview')}</Link>
        </p>
      );
  }
}

function NavLink({ href, on, children }: { href: string; on: boolean; children: ComponentChildren }) {
  return (
    <Link href={href} aria-current={on ? 'page' : undefined}>
      {children}
    </Link>
  );
}

function Frame({ onLanguage }: { onLanguage: (chosen: Language) => void }) {
  const route = parsePath(usePlace().path);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => onUnauthenticated(setRefusal), []);
  return (
    <>
      <a class="skip-link" href="#main">
        {t('app.skip')}
      </a>
      <header class="top">
        <Link href={to.overview} class="brand">
          <span class="brand-mark" aria-hidden="true">
            ✓
          </span>
          DIOPI <span class="brand-rest">{t('app.conformance')}</span>
        </Link>
        <nav aria-label={t('app.pages')}>
          <NavLink href={to.overview} on={route.page === 'overview' || route.page === 'chip'}>
            {t('app.chips')}
          </NavLink>
          <NavLink href={to.runs} on={route.page === 'runs' || route.page === 'run' || route.page === 'case'}>
            {t('app.runs')}
          </NavLink>
          <NavLink href={to.compare()} on={route.page === 'compare'}>
            {t('app.compare')}
          </NavLink>
          <NavLink href={to.coverage} on={route.page === 'coverage'}>
            {t('app.coverage')}
          </NavLink>
          <NavLink href={to.models} on={route.page === 'models'}>
            {t('app.models')}
          </NavLink>
          <NavLink href={to.captures} on={route.page === 'captures' || route.page === 'capture'}>
            {t('app.captures')}
          </NavLink>
        </nav>
        <Help />
        <LanguageToggle onChoose={onLanguage} />
        <ThemeToggle />
      </header>
      <main id="main" tabIndex={-1}>
        {refusal === null ? page(route) : <TokenForm message={refusal} onToken={() => setRefusal(null)} />}
      </main>
      <Tips />
    </>
  );
}

// Another language renders everything anew: texts are made while rendering.
export function App() {
  const [chosen, setChosen] = useState(language);
  useLayoutEffect(() => {
    document.documentElement.lang = LANGUAGES[chosen].tag;
  }, [chosen]);
  const onLanguage = (next: Language) => {
    setLanguage(next);
    setChosen(next);
  };
  return <Frame key={chosen} onLanguage={onLanguage} />;
}
