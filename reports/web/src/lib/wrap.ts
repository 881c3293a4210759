// How many lines a text takes in a fixed-width font: rows of a long table need their height before they are drawn.

// Beyond ASCII a character may take two columns.
const widthOf = (text: string): number => text.length + (text.match(/[^\0-\x7f]/g)?.length ?? 0);

// As `overflow-wrap: anywhere` breaks it, and never fewer: a word that does not fit goes to the next line, one that is
// longer than a line is broken. (The browser may also break after a hyphen or a slash.)
export function wrappedLines(text: string, columns: number): number {
  if (columns < 1) return 1;
  let lines = 1;
  let used = 0;
  for (const word of text.split(/(?<=\s)/)) {
    const visible = widthOf(word.trimEnd());
    // Half a character, and a punctuation mark with the one before it, go to the next line as a whole.
    const room = /[^\0-\x7f]/.test(word) ? Math.max(columns - 3, 1) : columns;
    if (used > 0 && visible > 0 && used + visible > room) {
      lines += 1;
      used = 0;
    }
    if (visible > room) lines += Math.ceil(visible / room) - 1;
    used += (visible > room ? visible % room || room : visible) + word.length - word.trimEnd().length;
  }
  return lines;
}

// Where each row starts, in pixels, and where the last one ends.
export function rowOffsets(heights: Iterable<number>): number[] {
  const offsets = [0];
  let sum = 0;
  for (const height of heights) offsets.push((sum += height));
  return offsets;
}

// The row at a height: the last that starts at or above it.
export function rowAt(offsets: number[], y: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
