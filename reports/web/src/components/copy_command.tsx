import { useState } from 'preact/hooks';
import { t } from '../lib/i18n';
import { useKeys } from '../lib/keys';

// navigator.clipboard exists on https and localhost only.
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

// `shortcut`: the key that copies it; for the one command of a page.
export function CopyCommand({ command, shortcut }: { command: string; shortcut?: string }) {
  const [said, setSaid] = useState('');
  const onCopy = () => {
    void copy(command).then((done) => setSaid(t(done ? 'copy.copied' : 'copy.failed')));
  };
  useKeys(shortcut ? { [shortcut]: onCopy } : {});
  return (
    <div class="command">
      <code class="command-text" tabIndex={0}>
        {command}
      </code>
      <button
        type="button"
        onClick={onCopy}
        title={shortcut ? `${t('copy.copy')} (${shortcut})` : t('copy.copy')}
      >
        {t('copy.copy')}
      </button>
      <span class="command-said" role="status">
        {said}
      </span>
    </div>
  );
}
