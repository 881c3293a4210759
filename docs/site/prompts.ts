// Blocks with prompts, `$ COMMAND`, and below each command its output: a copy button copies the commands only. VitePress
// leaves out of a copy what has the class vp-copy-ignore.
import type { ShikiTransformer } from 'shiki';

type Node = { type: string; value?: string; children?: Node[] };

const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join('');
const ignored = (children: Node[]): Node[] =>
  children.length === 0
    ? []
    : [{ type: 'element', tagName: 'span', properties: { class: 'vp-copy-ignore' }, children } as Node];

// The nodes before and after a column of their text.
function cut(nodes: Node[], column: number): [Node[], Node[]] {
  const before: Node[] = [];
  const after: Node[] = [];
  for (const node of nodes) {
    const { length } = textOf(node);
    if (column >= length) before.push(node);
    else if (column <= 0) after.push(node);
    else if (node.children) {
      const [left, right] = cut(node.children, column);
      before.push({ ...node, children: left });
      after.push({ ...node, children: right });
    } else {
      before.push({ ...node, value: node.value?.slice(0, column) });
      after.push({ ...node, value: node.value?.slice(column) });
    }
    column -= length;
  }
  return [before, after];
}

// A line without its first `from` columns and its comment ("  # exit 1"), which zsh would not take for one.
function command(line: Node, from: number): Node {
  const [prompt, rest] = cut(line.children ?? [], from);
  const text = rest.map(textOf).join('');
  const [kept, comment] = cut(rest, /\s\s+# |\s+$/.exec(text)?.index ?? text.length);
  return { ...line, children: [...ignored(prompt), ...kept, ...ignored(comment)] };
}

export const copiesCommands: ShikiTransformer = {
  name: 'copies-commands',
  code(code) {
    const lines = (code.children as Node[]).filter((node) => node.type === 'element');
    if (!lines.some((line) => textOf(line).startsWith('$ '))) return;
    const children: Node[] = [];
    let continued = false;
    for (const line of lines) {
      const text = textOf(line);
      const prompt = text.startsWith('$ ');
      const end: Node[] = children.length > 0 ? [{ type: 'text', value: '\n' }] : [];
      if (prompt || continued) children.push(...end, command(line, prompt ? 2 : 0));
      else children.push(...ignored([...end, line]));
      continued = (prompt || continued) && text.endsWith('\\');
    }
    code.children = children as typeof code.children;
  },
};
