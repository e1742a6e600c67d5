/** Waits for somebody who may never answer, but no longer than until the signal aborts; it then rejects with its reason. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true, signal: listening.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    listening.abort();
  }
}
