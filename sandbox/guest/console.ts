import { formatLine, inspect, isRow } from './inspect.ts'
import { errorText } from './errors.ts'
import { emit } from './outbox.ts'
import {
  append,
  ArrayIsArray,
  createList,
  define,
  ErrorConstructor,
  HIDDEN,
  max,
  ObjectKeys,
  quote,
  SafeMap,
  SafeSet,
  stringIndexOf,
  stringPadEnd,
  stringRepeat,
  stringSlice,
  toStringOf,
  toWellFormed,
  captureStackTrace,
  type List,
} from './primordials.ts'
import { run } from './run-facts.ts'
import { cutToBytes, utf8Length } from './text-size.ts'

type Level = 'log' | 'info' | 'warn' | 'error' | 'debug'

/** What a line costs besides its text: a million empty lines are not free. */
const LINE_BYTES = 16
let usedBytes = 0
let isCut = false
let indent = ''
const counts = new SafeMap<string, number>()
const timers = new SafeMap<string, number>()

/**
 * One line of log. The text is made now, so that it shows the values as they are at the call. Everything that a
 * program prints, wrappers included, counts against `maxLogBytes`; past it one marker is written and nothing more.
 */
function write(level: Level, text: string): void {
  if (isCut) return
  let line = toWellFormed(text)
  if (indent !== '') line = indentLines(line)
  const left = run.limits.maxLogBytes - usedBytes
  const size = utf8Length(line) + LINE_BYTES
  if (size > left) {
    isCut = true
    if (left > 0) emitLine(level, cutToBytes(line, left))
    emitLine('warn', `[log cut: more than ${run.limits.maxLogBytes} bytes were printed]`)
    return
  }
  usedBytes += size
  emitLine(level, line)
}

function emitLine(level: Level, text: string): void {
  const at = run.nowMs - run.startTimeMs
  emit('{"e":"log","level":"' + level + '","at":' + toStringOf(at) + ',"text":' + quote(text) + '}')
}

function indentLines(text: string): string {
  let out = indent
  let start = 0
  for (;;) {
    const end = stringIndexOf(text, '\n', start)
    if (end < 0) return out + stringSlice(text, start)
    out += stringSlice(text, start, end + 1) + indent
    start = end + 1
  }
}

/** More is never shown, so more is never made. */
function budget(): number {
  return isCut ? 0 : max(0, run.limits.maxLogBytes - usedBytes) + 64
}

function print(level: Level, values: ArrayLike<unknown>): void {
  if (!isCut) write(level, formatLine(values, budget()))
}

function labelOf(value: unknown): string {
  if (value === undefined) return 'default'
  return typeof value === 'string' ? value : inspect(value, 200)
}

const methods = {
  __proto__: null,
  log: (...values: unknown[]) => print('log', values),
  info: (...values: unknown[]) => print('info', values),
  warn: (...values: unknown[]) => print('warn', values),
  error: (...values: unknown[]) => print('error', values),
  debug: (...values: unknown[]) => print('debug', values),
  trace: (...values: unknown[]) => {
    const site = new ErrorConstructor('')
    captureStackTrace(site, methods.trace as Function)
    const frames = errorText(site)
    const at = stringIndexOf(frames, '\n')
    const heading = values.length === 0 ? 'Trace' : 'Trace: ' + formatLine(values, budget())
    write('debug', heading + (at < 0 ? '' : stringSlice(frames, at)))
  },
  assert: (condition?: unknown, ...values: unknown[]) => {
    if (condition) return
    write('error', values.length === 0 ? 'Assertion failed' : 'Assertion failed: ' + formatLine(values, budget()))
  },
  dir: (value?: unknown) => print('log', [typeof value === 'string' ? quote(value) : value]),
  dirxml: (...values: unknown[]) => print('log', values),
  table: (data?: unknown, columns?: unknown) => table(data, columns),
  group: (...values: unknown[]) => openGroup(values),
  groupCollapsed: (...values: unknown[]) => openGroup(values),
  groupEnd: () => {
    indent = stringSlice(indent, 2)
  },
  count: (label?: unknown) => {
    const name = labelOf(label)
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    write('log', `${name}: ${count}`)
  },
  countReset: (label?: unknown) => {
    counts.delete(labelOf(label))
  },
  time: (label?: unknown) => {
    timers.set(labelOf(label), run.nowMs)
  },
  timeLog: (label?: unknown, ...values: unknown[]) => elapsed(labelOf(label), values),
  timeEnd: (label?: unknown) => {
    const name = labelOf(label)
    elapsed(name, [])
    timers.delete(name)
  },
  timeStamp: () => {},
  profile: () => {},
  profileEnd: () => {},
  clear: () => {},
}

function openGroup(values: ArrayLike<unknown>): void {
  if (values.length > 0) print('log', values)
  if (indent.length < 40) indent += '  '
}

function elapsed(name: string, values: ArrayLike<unknown>): void {
  const since = timers.get(name)
  if (since === undefined) {
    write('warn', `No timer "${name}" was started`)
    return
  }
  const more = values.length > 0 ? ' ' + formatLine(values, budget()) : ''
  write('log', `${name}: ${toStringOf(run.nowMs - since)}ms${more}`)
}

/** Rows and columns as aligned text; anything that is no table is printed as it is. */
function table(data: unknown, only: unknown): void {
  if (!isRow(data)) {
    print('log', [data])
    return
  }
  const rowNames = ObjectKeys(data)
  const columns: List<string> = createList()
  const seen = new SafeSet<string>()
  let hasValues = false
  for (let row = 0; row < rowNames.length && row < 1000; row++) {
    const value = data[rowNames[row] as string]
    if (!isRow(value)) {
      hasValues = true
      continue
    }
    const keys = ObjectKeys(value)
    for (let index = 0; index < keys.length && columns.length < 50; index++) {
      const key = keys[index] as string
      if (seen.has(key) || (ArrayIsArray(only) && !isListed(only, key))) continue
      seen.add(key)
      append(columns, key)
    }
  }
  const header: List<string> = createList()
  append(header, '(index)')
  for (let index = 0; index < columns.length; index++) append(header, columns[index] as string)
  if (hasValues) append(header, 'Values')
  const lines: List<List<string>> = createList()
  append(lines, header)
  for (let row = 0; row < rowNames.length && row < 1000; row++) {
    const name = rowNames[row] as string
    const value = data[name]
    const cells: List<string> = createList()
    append(cells, name)
    for (let index = 0; index < columns.length; index++) {
      const key = columns[index] as string
      append(cells, isRow(value) && key in value ? cell(value[key]) : '')
    }
    if (hasValues) append(cells, isRow(value) ? '' : cell(value))
    append(lines, cells)
  }
  write('log', align(lines))
}

function isListed(names: readonly unknown[], key: string): boolean {
  for (let index = 0; index < names.length; index++) if (names[index] === key) return true
  return false
}

function cell(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, 200)
}

function align(lines: List<List<string>>): string {
  const widths: List<number> = createList()
  for (let row = 0; row < lines.length; row++) {
    const cells = lines[row] as List<string>
    for (let column = 0; column < cells.length; column++) {
      widths[column] = max(widths[column] ?? 0, (cells[column] as string).length)
    }
  }
  let text = ''
  for (let row = 0; row < lines.length; row++) {
    const cells = lines[row] as List<string>
    let line = ''
    for (let column = 0; column < cells.length; column++) {
      line += (column === 0 ? '' : ' | ') + stringPadEnd(cells[column] as string, widths[column] as number)
    }
    text += (row === 0 ? '' : '\n') + line
    if (row === 0) text += '\n' + stringRepeat('-', line.length)
  }
  return text
}

/** The `console` of the program: its methods need no `this` and cannot be taken from it. */
export function createConsole(): object {
  const object = {}
  const names = ObjectKeys(methods)
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as keyof typeof methods
    const method = methods[name] as unknown as Function
    define(method, 'name', name, {})
    define(object, name, method, HIDDEN)
  }
  return object
}
