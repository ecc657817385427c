/** Ends each `switch` over a `kind`: the compiler refuses a kind that nobody handles. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
