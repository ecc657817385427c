/** The operating system's user that a program runs as. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}
