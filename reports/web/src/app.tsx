import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onUnauthenticated } from './api/use_api';
import { Help } from './components/help';
import { Link } from './components/link';
import { Tips } from './components/tips';
import { ThemeToggle } from './components/theme_toggle';
import { TokenForm } from './components/token_form';
import { parsePath, to, usePlace, type Route } from './lib/router';
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
    case 'chip':
      return <ChipPageView key={route.chip} chip={route.chip} />;
    case 'run':
      return <RunPageView key={route.run} run={route.run} />;
    case 'case':
      return <CasePageView key={`${route.run} ${route.caseId}`} run={route.run} caseId={route.caseId} />;
    case 'unknown':
      return (
        <p class="empty">
          There is no such page. <Link href={to.overview}>Overview</Link>
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

export function App() {
  const route = parsePath(usePlace().path);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => onUnauthenticated(setRefusal), []);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Link href={to.overview} class="brand">
          <span class="brand-mark" aria-hidden="true">
            ✓
          </span>
          DIOPI <span class="brand-rest">conformance</span>
        </Link>
        <nav aria-label="Pages">
          <NavLink href={to.overview} on={route.page === 'overview' || route.page === 'chip'}>
            Chips
          </NavLink>
          <NavLink href={to.runs} on={route.page === 'runs' || route.page === 'run' || route.page === 'case'}>
            Runs
          </NavLink>
          <NavLink href={to.compare()} on={route.page === 'compare'}>
            Compare
          </NavLink>
          <NavLink href={to.coverage} on={route.page === 'coverage'}>
            Coverage
          </NavLink>
          <NavLink href={to.models} on={route.page === 'models'}>
            Models
          </NavLink>
        </nav>
        <Help />
        <ThemeToggle />
      </header>
      <main id="main" tabIndex={-1}>
        {refusal === null ? page(route) : <TokenForm message={refusal} onToken={() => setRefusal(null)} />}
      </main>
      <Tips />
    </>
  );
}
