/** The texts in `sdk-templates/typescript`: the only home of what a model reads about programs. */
export interface SdkTemplates {
  readonly usage: string
  readonly systemPrompt: string
  /** Declarations of everything a program has besides its tools. */
  readonly prelude: string
}

/** Where the templates lie, seen from the sources and from the built package alike. */
export const TEMPLATE_FOLDER = new URL('../../sdk-templates/typescript/', import.meta.url)

/** Reads each template once. The reader is an argument: this room touches no disk. */
export function loadTemplates(readText: (file: URL) => string): SdkTemplates {
  const read = (name: string): string => readText(new URL(name, TEMPLATE_FOLDER)).replaceAll('\r\n', '\n')
  return { usage: read('usage.md'), systemPrompt: read('system-prompt.md'), prelude: read('prelude.d.ts') }
}

/**
 * Puts values in the place of `{{name}}`, and keeps the lines between `{{#name}}` and `{{/name}}` if the fact is true.
 * One pass for the values: braces inside a value stay what they are.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  facts: Readonly<Record<string, boolean>>,
): string {
  const kept = template.replace(/^\{\{#(\w+)\}\}\n([^]*?)^\{\{\/\1\}\}\n/gm, (_block, name: string, lines: string) =>
    pick(facts, name) ? lines : '',
  )
  return kept.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => pick(values, name))
}

function pick<T>(given: Readonly<Record<string, T>>, name: string): T {
  const value = Object.hasOwn(given, name) ? given[name] : undefined
  if (value === undefined) throw new TypeError(`template: it names "${name}", and nothing is given for that`)
  return value
}
