// Whose outputs the chip's errors are set beside, from the provenance as the server words it:
// "cpu: ... (...); device reference: Acme 2.1 (library 00ff; ...)" -> "Acme 2.1". Null where there is none.
export function deviceReference(provenance: string): string | null {
  return /; device reference: (.*?) \(library /.exec(provenance)?.[1] ?? null;
}
