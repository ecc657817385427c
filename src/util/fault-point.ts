/** Named points at which a process may die: nothing in production; a fault test installs what happens there. */

type FaultHook = (point: string) => void | Promise<void>;

let hook: FaultHook | undefined;

/** For tests only. `undefined` takes it back. */
export function installFaultHook(install: FaultHook | undefined): void {
  hook = install;
}

/** Waits for what a fault test wants to happen here; otherwise at once. */
export async function reachFaultPoint(point: string): Promise<void> {
  if (hook !== undefined) await hook(point);
}
