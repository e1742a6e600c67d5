/**
 * Takes the process's standard output for the protocol alone: whatever else is printed, by a library or by
 * `console.log`, goes to standard error from here on. Tools print into pipes of their own.
 *
 * @returns where the protocol is written. A write fails once the reader is gone.
 */
export function claimStdout(): WritableStream<Uint8Array> {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // The failed write tells the connection; nobody else needs to know.
  stdout.on('error', () => undefined);
  return new WritableStream({
    write: (bytes) =>
      new Promise((resolve, reject) => {
        write(bytes, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
  });
}
