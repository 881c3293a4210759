// Puts the script and the style sheets that Vite made into the page itself, so that dist/index.html is all there is.
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

// The browser may run only the script with this hash, and connect only to its own server. Styles
// are inline because charts position their labels by style attributes.
function contentSecurityPolicy(script: string): string {
  const hash = createHash('sha256').update(script).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export function inlinePage(): Plugin {
  return {
    name: 'inline-page',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('inline-page: Vite made no index.html');
      let script = '';
      let style = '';
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        if (file.type === 'chunk') script += file.code;
        else if (name.endsWith('.css')) style += String(file.source);
        else throw new Error(`inline-page: ${name} cannot be put into the page`);
        Reflect.deleteProperty(bundle, name);
      }
      // The text of a script element ends at the first "</script".
      script = `\n${script.replaceAll('</script', '<\\/script')}\n`;
      const head =
        `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(script)}">\n` +
        `<style>\n${style}</style>\n`;
      page.source = String(page.source)
        .replace(/\s*<(script type="module"|link rel="(stylesheet|modulepreload)")[^>]*>(<\/script>)?/g, '')
        .replace('<!-- head -->', () => head)
        .replace('<!-- script -->', () => `<script type="module">${script}</script>`);
    },
  };
}
