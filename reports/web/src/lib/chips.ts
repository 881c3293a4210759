// Labs with many chips: which of them a table shows.
export const MANY = 12; // more chips than columns, or cards, can be compared at a glance

// The places in `chips` of those whose names have this text.
export function matching(chips: string[], text: string): number[] {
  const wanted = text.toLowerCase();
  return chips.flatMap((chip, i) => (chip.toLowerCase().includes(wanted) ? [i] : []));
}
