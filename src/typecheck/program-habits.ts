/**
 * What a program's text shows about names, for deciding in its favour: types do not follow everything that JavaScript
 * does to an object. Read from the text alone, so all of it errs towards "the program may be right". The text is
 * hostile: no pattern here may take more than a few looks at each character.
 */
export interface ProgramHabits {
  /** A member of this name is assigned or defined somewhere. */
  writesMember(name: string): boolean
  /** Members of the variable are assigned somewhere. */
  fillsVariable(name: string): boolean
  /** The program asks somewhere whether the name exists. */
  probesName(name: string): boolean
  /** The access that stands there takes absence into account: `x.y ?? z`, `if (x.y)`, `x.y?.z`. */
  isProbe(start: number, end: number): boolean
}

export function habitsOf(text: string): ProgramHabits {
  const has = (pattern: string) => new RegExp(pattern).test(text)
  const known = new Map<string, boolean>()
  const once = (kind: string, name: string, pattern: (escaped: string) => string): boolean => {
    const key = `${kind} ${name}`
    let answer = known.get(key)
    if (answer === undefined) known.set(key, (answer = name.length > 200 || has(pattern(RegExp.escape(name)))))
    return answer
  }
  return {
    writesMember: (name) =>
      once(
        'member',
        name,
        (n) => `(?:\\.\\s*|\\[\\s*['"\`])${n}(?:['"\`]\\s*\\])?\\s*(?:[-+*/%&|^?]{0,3}=(?![=>])|\\+\\+|--)`,
      ),
    fillsVariable: (name) =>
      once(
        'variable',
        name,
        (n) =>
          `(?<![\\w$.])${n}\\s*(?:\\.\\s*[\\w$]+|\\[[^\\]\\n]{0,100}\\])+\\s*(?:[-+*/%&|^?]{0,3}=(?![=>]))|(?:assign|defineProperty|set)\\(\\s*${n}\\b`,
      ),
    probesName: (name) => once('probe', name, (n) => `typeof\\s+${n}\\b|(?<![\\w$.])${n}\\s*=(?![=>])`),
    isProbe(start, end) {
      const before = text.slice(Math.max(0, start - 40), start)
      const after = text.slice(end, end + 40)
      const isInBrackets = /(?:^|[^\w$)\]\s])\s*\(\s*$/.test(before)
      const behind = isInBrackets ? /^\s*\)*\s*(.*)/s.exec(after)?.[1] : after.trimStart()
      return (
        /^(?:\?\?|\|\||&&|\?\.|\?(?![.:])|[!=]==?)/.test(behind ?? '') ||
        /(?:typeof|!|\bif\s*\(|\bwhile\s*\(|[!=]==?)[\s(]*$/.test(before)
      )
    },
  }
}
