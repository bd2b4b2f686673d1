/** What `${…}` in a configuration may stand for. */
export interface VariableSource {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workspaceFolder?: string | undefined
}

export interface Expansion {
  readonly text: string
  /** What could not be replaced, in words: `environment variable X is not set`. */
  readonly unresolved: readonly string[]
  /** Values that came from the environment: to be hidden in messages. */
  readonly secrets: readonly string[]
}

/** Replaces `${NAME}`, `${env:NAME}`, `${NAME:-default}` and `${workspaceFolder}`. What is put in is not expanded again. */
export function expandVariables(template: string, source: VariableSource): Expansion {
  const unresolved: string[] = []
  const secrets: string[] = []
  const text = template.replaceAll(/\$\{([^{}]*)\}/g, (whole, inside: string) => {
    const editor = editorVariable(inside, source)
    if (editor !== undefined) return editor
    const match = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inside)
    if (match === null) {
      unresolved.push(
        inside.startsWith('input:')
          ? `${whole} is a question that only an editor can ask; write \${env:NAME} and set that variable`
          : inside === 'workspaceFolder'
            ? `${whole} is not known here`
            : `${printName(whole)} is not a variable; write \${NAME}, \${env:NAME} or \${NAME:-default}`,
      )
      return whole
    }
    const [, name = '', fallback] = match
    const value = Object.hasOwn(source.env, name) ? source.env[name] : undefined
    if (value !== undefined && (value !== '' || fallback === undefined)) {
      secrets.push(value)
      return value
    }
    if (fallback !== undefined) return fallback
    unresolved.push(`environment variable ${name} is not set; set it, or write \${${name}:-default}`)
    return whole
  })
  return { text, unresolved, secrets }
}

function editorVariable(inside: string, source: VariableSource): string | undefined {
  switch (inside) {
    case 'workspaceFolder':
      return source.workspaceFolder
    case 'workspaceFolderBasename':
      return source.workspaceFolder?.split(/[\\/]/).findLast((part) => part !== '')
    case 'userHome':
      return source.env.HOME ?? source.env.USERPROFILE
    case 'pathSeparator':
    case '/':
      return '/'
    default:
      return undefined
  }
}

function printName(whole: string): string {
  return whole.length <= 40 ? whole : `${whole.slice(0, 40)}…`
}
