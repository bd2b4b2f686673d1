/** What the text may be instead of a program, guessed from its words, to say more than "unexpected token". */
export function syntaxAdvice(text: string, offset: number | undefined): string {
  const lines = text
    .slice(0, 4_000)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const first = lines[0] ?? ''
  if (isShell(first)) return `This looks like a shell command. ${WRITE_TYPESCRIPT}`
  if (lines.some(isPython)) return `This looks like Python. ${WRITE_TYPESCRIPT}`
  const at = offset === undefined ? '' : text.slice(offset, offset + 2)
  if (at.startsWith('\\') || text[(offset ?? 0) - 1] === '\\')
    return 'There is a backslash outside a string: send real line breaks and quotes, not \\n and \\".'
  if (offset !== undefined && isTypographic(at)) return 'Use plain quotes: \' " `.'
  if (isProse(first))
    return `This looks like prose, or prose around the program. Send only the code. ${WRITE_TYPESCRIPT}`
  return WRITE_TYPESCRIPT
}

const WRITE_TYPESCRIPT =
  'A program is TypeScript, the body of an async function: const value = await tools.<name>({ … }); return value'

const COMMANDS: ReadonlySet<string> = new Set(
  'ls cd cat grep find curl wget npm npx pnpm yarn node python python3 pip git echo sudo mkdir rm cp mv touch chmod bash sh docker kubectl export source sed awk jq head tail apt apt-get brew'.split(
    ' ',
  ),
)

function isShell(line: string): boolean {
  if (line.startsWith('#!') || line.startsWith('$ ')) return true
  const [command, ...rest] = line.split(' ')
  if (command === undefined || !COMMANDS.has(command) || rest.length === 0) return false
  // `export const`, `find = …`, `source.map(…)` are code.
  return !['const', 'let', 'var', 'default', 'async', 'function', 'type', 'interface', 'class', '=', '{'].includes(
    rest[0] ?? '',
  )
}

function isPython(line: string): boolean {
  if (line.startsWith('def ') || line.startsWith('elif ') || line.startsWith('async def ')) return true
  if (line.startsWith('from ') && line.includes(' import ')) return true
  if (line.startsWith('import ') && !line.includes('"') && !line.includes("'")) return true
  const opensBlock = ['for ', 'if ', 'while ', 'try:', 'except', 'with ', 'class '].some((word) =>
    line.startsWith(word),
  )
  return opensBlock && line.endsWith(':') && !line.includes('{')
}

function isTypographic(text: string): boolean {
  const code = text.charCodeAt(0)
  return code >= 0x2018 && code <= 0x201f
}

/** Several words in a row, and nothing that code is made of. */
function isProse(line: string): boolean {
  const words = line.split(' ').filter((word) => word !== '')
  const isCode = ['=', '(', '{', ';', '=>', '//', '/*'].some((mark) => line.includes(mark))
  return words.length >= 4 && !isCode
}
