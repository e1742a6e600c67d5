/** Lets somebody wait until something has come about. */
export class Watch {
  readonly #looks = new Set<() => void>();

  /** Something has changed: everybody who waits looks again. */
  changed(): void {
    for (const look of [...this.#looks]) look();
  }

  /** Resolves with what there is to find, now or after a change. */
  find<Found>(find: () => Found | undefined): Promise<Found> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Resolves as soon as this is so, now or after a change. */
  async until(isSo: () => boolean): Promise<void> {
    await this.find(() => isSo() || undefined);
  }
}
