import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { moreHref } from '../lib/docs';
import { t } from '../lib/i18n';

const WIDTH = 320;
const GAP = 4;

interface Tip {
  text: string;
  left: number;
  top: number;
}

function place(element: Element): Tip {
  const { left, bottom } = element.getBoundingClientRect();
  return {
    text: element.getAttribute('data-tip') ?? '',
    left: Math.max(8, Math.min(left, innerWidth - WIDTH - 8)),
    top: bottom + GAP,
  };
}

// The page's only tooltip. It explains the element with `data-tip` that has the pointer or the
// focus, links to more where the documentation says more, and disappears with Escape, scrolling, or when both leave.
export function Tips() {
  const [tip, setTip] = useState<Tip | null>(null);
  useEffect(() => {
    let shown: Element | null = null;
    const show = (element: Element | null) => {
      if (element === shown) return;
      shown?.removeAttribute('aria-describedby');
      element?.setAttribute('aria-describedby', 'tip');
      shown = element;
      setTip(element ? place(element) : null);
    };
    const follow = (event: Event) => {
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest('#tip')) return;
      show(
        target?.closest('[data-tip]') ?? document.activeElement?.closest(':focus-visible[data-tip]') ?? null,
      );
    };
    const hide = () => show(null);
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('mouseover', follow);
    document.addEventListener('focusin', follow);
    document.addEventListener('focusout', hide);
    document.addEventListener('keydown', onKey);
    document.addEventListener('scroll', hide, { capture: true, passive: true });
    return () => {
      document.removeEventListener('mouseover', follow);
      document.removeEventListener('focusin', follow);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('scroll', hide, { capture: true });
    };
  }, []);
  if (tip === null) return null;
  const more = moreHref(tip.text);
  return (
    <div
      id="tip"
      role="tooltip"
      style={{ left: `${tip.left}px`, top: `${tip.top}px`, maxWidth: `${WIDTH}px` }}
    >
      {tip.text}
      {more && (
        <>
          {' '}
          <a href={more} tabIndex={-1}>
            {t('docs.more')}
          </a>
        </>
      )}
    </div>
  );
}

// Text with a tooltip, also for keyboard users.
export function Explained({ says, children }: { says: string; children: ComponentChildren }) {
  return (
    <span class="explained" tabIndex={0} data-tip={says}>
      {children}
    </span>
  );
}

interface HeadProps {
  says?: string;
  num?: boolean;
  class?: string;
  children: ComponentChildren;
}

// The head of a column.
export function Head({ says, num = false, class: name = '', children }: HeadProps) {
  return (
    <th scope="col" class={`${num ? 'num' : ''} ${name}`}>
      {says ? <Explained says={says}>{children}</Explained> : children}
    </th>
  );
}
