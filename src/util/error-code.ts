/** The code of a system's or library's error (ENOENT, ECONNREFUSED, 28P01); undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  // Not by class: errors also come from other realms.
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
