// Man pages, which the programs print (--man-page), as pages of the site.

// The text of roff without its fonts and escapes; as code, so that nothing in it is markup.
const plain = (text) => text.replace(/\\f[BIR]/g, '').replaceAll('\\-', '-').replaceAll('\\\\', '\\').replaceAll('\\&', '');
// What stands outside of code: no markup of ours or Vue's.
const prose = (text) => plain(text).replace(/[<>{}*_[\]`|]/g, (sign) => `&#${sign.codePointAt(0)};`);

const title = (text) => plain(text.replace(/^"|"$/g, ''));

// Lines of "  PROGRAM ARGUMENTS   what it does" are commands, so that the site's copy button knows them.
function block(lines) {
  const commands = lines.map((line) => /^ *(diopi-.*?)(?: {2,}(.*))?$/.exec(line));
  if (!commands.every(Boolean)) return ['```', ...lines, '```'];
  return ['```console', ...commands.map(([, command, says]) => `$ ${command}${says ? `  # ${says}` : ''}`), '```'];
}

// The Markdown of a man page. It knows the macros that our programs write: TH, SH, SS, TP, PP, B, nf, fi; others throw.
export function manualPage(roff) {
  const lines = roff.split('\n');
  const out = [];
  for (let i = 0; i < lines.length; ++i) {
    const [, macro, rest] = /^\.(\w+) ?(.*)$/.exec(lines[i]) ?? [null, '', lines[i]];
    if (macro === 'TH') out.push(`# ${title(rest.split(' ')[0]).toLowerCase()}`, '');
    else if (macro === 'SH') out.push(`## ${rest[0]}${title(rest).slice(1).toLowerCase()}`, '');
    else if (macro === 'SS') out.push(`### ${title(rest)}`, '');
    else if (macro === 'TP') {
      out.push('', `\`${plain(lines[++i])}\`<br>`);
    } else if (macro === 'PP') out.push('');
    else if (macro === 'B') out.push(`**${prose(rest)}**`);
    else if (macro === 'nf') {
      const end = lines.indexOf('.fi', i);
      out.push('', ...block(lines.slice(i + 1, end).map(plain).filter((line) => line.trim() !== '')), '');
      i = end;
    } else if (macro !== '') throw new Error(`unknown macro .${macro}`);
    else out.push(prose(rest));
  }
  return out.join('\n') + '\n';
}
