/** Plays a session on the package and returns what was told. */
export function session(): Promise<string[]>;
