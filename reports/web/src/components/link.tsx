import type { ComponentChildren, JSX } from 'preact';
import { navigate } from '../lib/router';

type Props = Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'href'> & {
  href: string;
  children: ComponentChildren;
  replace?: boolean;
};

// A link within the page, without a reload; with a modifier or the middle button it acts like any
// link.
export function Link({ href, replace = false, children, ...rest }: Props) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href, replace);
  };
  return (
    <a href={href} onClick={onClick} {...rest}>
      {children}
    </a>
  );
}
