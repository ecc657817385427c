/** Times as people read them. */

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const;

/** "0.4 s", "12 s", "3 min 20 s", "2 h 5 min", "4 d 1 h": two units at most. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, seconds);
  if (whole < 10) return `${Number(whole.toFixed(1))} s`;
  const rounded = Math.round(whole);
  const [index, unit] = [...UNITS.entries()].find(([, { seconds: size }]) => rounded >= size) ?? [];
  if (index === undefined || unit === undefined) return `${rounded} s`;
  const next = UNITS[index + 1] ?? { name: 's', seconds: 1 };
  const rest = Math.floor((rounded % unit.seconds) / next.seconds);
  const head = `${Math.floor(rounded / unit.seconds)} ${unit.name}`;
  return rest === 0 ? head : `${head} ${rest} ${next.name}`;
}
