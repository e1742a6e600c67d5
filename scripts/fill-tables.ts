const MARKED = /<!-- (?<name>[\w-]+) -->\n(?<old>.*?)<!-- \/\k<name> -->/gs;

/**
 * Puts the content of each table between its markers. How the cells are padded means nothing, since the formatter does
 * that: a table that says the same is left as it is.
 *
 * @returns the text, and the names of the tables that say something else now.
 */
export function fillTables(
  text: string,
  contentOf: (name: string) => string,
): { readonly text: string; readonly changed: readonly string[] } {
  const changed: string[] = [];
  const filled = text.replaceAll(MARKED, (whole: string, name: string, old: string) => {
    const content = contentOf(name).trim();
    if (unpadded(content) === unpadded(old)) return whole;
    changed.push(name);
    return `<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->`;
  });
  return { text: filled, changed };
}

function unpadded(table: string): string {
  return table
    .trim()
    .replaceAll(/ *\| */g, '|')
    .replaceAll(/:?-{3,}:?/g, '---');
}
