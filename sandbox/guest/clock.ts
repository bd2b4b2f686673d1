/**
 * Time as the run has it: it starts where the host says and moves at deliveries only, so that a run can be repeated and
 * no program can time the machine. Locale `en-US` and zone UTC, whatever the host's. The child process runs in UTC, so
 * local getters of Date agree.
 */
import {
  define,
  defineField,
  HIDDEN,
  ObjectCreate,
  ObjectSetPrototypeOf,
  ReflectApply,
  ReflectConstruct,
  ReflectDefineProperty,
  ReflectGetOwnPropertyDescriptor,
  ReflectOwnKeys,
  stringIndexOf,
  stringSlice,
  uncurryThis,
} from './primordials.ts'
import { run } from './run-facts.ts'

type Constructor = Function & { readonly prototype: object }

/** Puts `replacement` in the place of a built-in constructor: same prototype, same statics, also through `.constructor`. */
export function replaceConstructor(native: Constructor, replacement: Function, name: string, length: number): void {
  const keys = ReflectOwnKeys(native)
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as PropertyKey
    if (key === 'prototype' || key === 'name' || key === 'length') continue
    const descriptor = ReflectGetOwnPropertyDescriptor(native, key) as PropertyDescriptor
    ReflectDefineProperty(replacement, key, descriptor)
  }
  define(replacement, 'name', name, { configurable: true })
  define(replacement, 'length', length, { configurable: true })
  ObjectSetPrototypeOf(replacement, Reflect.getPrototypeOf(native))
  define(replacement, 'prototype', native.prototype, {})
  define(native.prototype, 'constructor', replacement, HIDDEN)
}

export function installClock(global: object): void {
  installDate(global)
  installIntl()
  const performance = ObjectCreate(ObjectCreate(Object.prototype)) as object
  define(performance, 'now', () => run.nowMs - run.startTimeMs, HIDDEN)
  ReflectDefineProperty(performance, 'timeOrigin', {
    __proto__: null,
    get: () => run.startTimeMs,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor)
  define(global, 'performance', performance, HIDDEN)
}

function installDate(global: object): void {
  const NativeDate = Date
  const dateToString = uncurryThis(NativeDate.prototype.toString)
  function GuestDate(this: unknown, ...args: unknown[]): unknown {
    if (new.target === undefined) return withZoneName(dateToString(new NativeDate(run.nowMs)))
    return ReflectConstruct(NativeDate, args.length === 0 ? [run.nowMs] : args, new.target)
  }
  replaceConstructor(NativeDate as unknown as Constructor, GuestDate, 'Date', 7)
  installDateTexts(NativeDate.prototype)
  define(
    GuestDate,
    'now',
    method('now', () => run.nowMs),
    HIDDEN,
  )
  define(global, 'Date', GuestDate, HIDDEN)
}

/** The engine writes the zone's name in the language of the host. */
function withZoneName(text: string): string {
  const at = stringIndexOf(text, ' (')
  return at < 0 ? text : stringSlice(text, 0, at) + ' (Coordinated Universal Time)'
}

function installDateTexts(prototype: Date): void {
  const { toString, toTimeString } = prototype
  const replaced = {
    toString(this: unknown): string {
      return withZoneName(ReflectApply(toString, this, []) as string)
    },
    toTimeString(this: unknown): string {
      return withZoneName(ReflectApply(toTimeString, this, []) as string)
    },
  }
  define(prototype, 'toString', replaced.toString, HIDDEN)
  define(prototype, 'toTimeString', replaced.toTimeString, HIDDEN)
}

const TEMPORAL_CLASSES = [
  'Duration',
  'Instant',
  'PlainDate',
  'PlainDateTime',
  'PlainMonthDay',
  'PlainTime',
  'PlainYearMonth',
  'ZonedDateTime',
]

interface TemporalLike {
  readonly Now: Record<string, unknown>
  readonly Instant: { fromEpochMilliseconds(ms: number): InstantLike }
}
interface InstantLike {
  toZonedDateTimeISO(zone: unknown): {
    toPlainDateTime(): unknown
    toPlainDate(): unknown
    toPlainTime(): unknown
  }
}

/**
 * `Temporal` is made by V8 when it is first looked at, which costs every isolate 0.35 ms and 0.3 MB: only a program that
 * can name it has one. In `code` its name stands as it is or hidden behind an escape; what is put together at run time
 * finds nothing.
 */
export function settleTemporal(global: object, code: string): void {
  if (stringIndexOf(code, 'Temporal') >= 0 || stringIndexOf(code, '\\') >= 0) {
    installTemporal()
    return
  }
  delete (global as { Temporal?: unknown }).Temporal
  delete (Date.prototype as { toTemporalInstant?: unknown }).toTemporalInstant
}

/** `Temporal.Now` reads the real clock of V8; each of its functions is replaced. */
function installTemporal(): void {
  const temporal = (globalThis as { Temporal?: TemporalLike }).Temporal
  if (temporal === undefined) return
  const { Instant } = temporal
  const fromEpochMilliseconds = Instant.fromEpochMilliseconds
  const sample = Instant.fromEpochMilliseconds(0)
  const toZoned = sample.toZonedDateTimeISO
  const zonedSample = sample.toZonedDateTimeISO('UTC')
  const { toPlainDateTime, toPlainDate, toPlainTime } = zonedSample
  const now = () => ReflectApply(fromEpochMilliseconds, Instant, [run.nowMs])
  const zoned = (zone: unknown) => ReflectApply(toZoned, now(), [zone === undefined ? 'UTC' : zone])
  const functions = {
    __proto__: null,
    timeZoneId: () => 'UTC',
    instant: () => now(),
    zonedDateTimeISO: (zone?: unknown) => zoned(zone),
    plainDateTimeISO: (zone?: unknown) => ReflectApply(toPlainDateTime, zoned(zone), []),
    plainDateISO: (zone?: unknown) => ReflectApply(toPlainDate, zoned(zone), []),
    plainTimeISO: (zone?: unknown) => ReflectApply(toPlainTime, zoned(zone), []),
  } as unknown as Record<string, Function>
  const keys = ReflectOwnKeys(temporal.Now)
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (typeof key !== 'string') continue
    const replacement = functions[key]
    // An unknown function of a newer engine would read the real clock: better none.
    if (replacement === undefined) delete temporal.Now[key]
    else define(temporal.Now, key, method(key, replacement), HIDDEN)
  }
  const classes = temporal as unknown as Record<string, { readonly prototype: object } | undefined>
  for (let index = 0; index < TEMPORAL_CLASSES.length; index++) {
    const found = classes[TEMPORAL_CLASSES[index] as string]
    if (found !== undefined) withDefaults(found.prototype, 'toLocaleString', 0, false)
  }
}

/** A built-in looks like one: not constructible, with its name. */
function method<T extends Function>(name: string, body: T): T {
  define(body, 'name', name, { configurable: true })
  return body
}

const INTL_CLASSES = [
  'Collator',
  'DateTimeFormat',
  'DisplayNames',
  'DurationFormat',
  'ListFormat',
  'NumberFormat',
  'PluralRules',
  'RelativeTimeFormat',
  'Segmenter',
] as const
const DEFAULT_LOCALE = 'en-US'

function installIntl(): void {
  const intl = Intl as unknown as Record<string, Constructor | undefined>
  for (let index = 0; index < INTL_CLASSES.length; index++) {
    const name = INTL_CLASSES[index] as string
    const Native = intl[name]
    if (Native === undefined) continue
    const isDates = name === 'DateTimeFormat'
    // These three may be called without `new`.
    const isCallable = isDates || name === 'NumberFormat' || name === 'Collator'
    const Replacement = function (this: unknown, locales?: unknown, options?: unknown): unknown {
      if (new.target === undefined && !isCallable) throw new TypeError(`Constructor Intl.${name} requires 'new'`)
      const args = [locales === undefined ? DEFAULT_LOCALE : locales, isDates ? inUtc(options) : options]
      return ReflectConstruct(Native, args, new.target ?? Replacement)
    }
    replaceConstructor(Native, Replacement, name, 0)
    define(intl, name, Replacement, HIDDEN)
  }
  // Outside the standard, and it would tell the host's locale.
  delete intl['v8BreakIterator']
  installDateTimeFormat(intl['DateTimeFormat'] as Constructor)
  installLocaleMethods()
}

/** The caller's options with a time zone, when it names none. */
function inUtc(options: unknown): unknown {
  if (options === undefined) return { __proto__: null, timeZone: 'UTC' }
  if (typeof options !== 'object' || options === null) return options
  if ((options as { timeZone?: unknown }).timeZone !== undefined) return options
  const withZone = ObjectCreate(options) as object
  defineField(withZone, 'timeZone', 'UTC', true)
  return withZone
}

/** `format()` and `formatToParts()` without a date mean now. */
function installDateTimeFormat(DateTimeFormat: Constructor): void {
  const prototype = DateTimeFormat.prototype
  const formatGetter = (ReflectGetOwnPropertyDescriptor(prototype, 'format') as PropertyDescriptor).get as Function
  const bound = new WeakMap<object, Function>()
  const get = uncurryThis(WeakMap.prototype.get)
  const set = uncurryThis(WeakMap.prototype.set)
  ReflectDefineProperty(prototype, 'format', {
    __proto__: null,
    get(this: object) {
      const native = ReflectApply(formatGetter, this, []) as Function
      let format = get(bound, this) as Function | undefined
      if (format === undefined) {
        format = (date?: unknown) => ReflectApply(native, undefined, [date === undefined ? run.nowMs : date])
        set(bound, this, format)
      }
      return format
    },
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor)
  const toParts = (prototype as { formatToParts: Function }).formatToParts
  const replacement = {
    formatToParts(this: unknown, date?: unknown) {
      return ReflectApply(toParts, this, [date === undefined ? run.nowMs : date])
    },
  }
  define(prototype, 'formatToParts', replacement.formatToParts, HIDDEN)
}

/** `toLocaleString` and its like use the default locale and zone of the process: they get ours. */
function installLocaleMethods(): void {
  const dates = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']
  for (let index = 0; index < dates.length; index++) withDefaults(Date.prototype, dates[index] as string, 0, true)
  withDefaults(Number.prototype, 'toLocaleString', 0, false)
  withDefaults(BigInt.prototype, 'toLocaleString', 0, false)
  withDefaults(String.prototype, 'localeCompare', 1, false)
  withDefaults(String.prototype, 'toLocaleLowerCase', 0, false)
  withDefaults(String.prototype, 'toLocaleUpperCase', 0, false)
}

function withDefaults(prototype: object, name: string, localeAt: 0 | 1, isDates: boolean): void {
  const native = (prototype as Record<string, unknown>)[name] as Function
  const replacement =
    localeAt === 0
      ? {
          [name](this: unknown, locales?: unknown, options?: unknown): unknown {
            const zoned = isDates ? inUtc(options) : options
            return ReflectApply(native, this, [locales === undefined ? DEFAULT_LOCALE : locales, zoned])
          },
        }
      : {
          [name](this: unknown, that?: unknown, locales?: unknown, options?: unknown): unknown {
            return ReflectApply(native, this, [that, locales === undefined ? DEFAULT_LOCALE : locales, options])
          },
        }
  const method = replacement[name] as Function
  define(method, 'length', native.length, { configurable: true })
  define(prototype, name, method, HIDDEN)
}
