/** Tells the person at the terminal what happens: one line, without a line break. */
export type Print = (line: string) => void;
