import { nearestNames } from '../data/nearest-names.ts'
import { membersOf } from './assignability.ts'
import type { ToolCall } from './program-to-check.ts'

/**
 * The words in which a model hears of a type error: which call, what is expected there, what stands there, what to
 * write instead. Names and types come from strangers: they are shortened, and control characters are shown as dots.
 */

const MAX_TYPE = 240
const MAX_SIGNATURE = 700

/** What is known of the call in which the mistake stands. */
export interface CallWords {
  readonly label: string
  readonly tool: ToolCall | undefined
}

export interface Words {
  readonly message: string
  readonly advice?: string
}

export function wrongType(call: CallWords, argument: string | undefined, source: string, target: string): Words {
  const wanted = typeWords(target)
  const subject = argument === undefined ? `${call.label}: the argument` : `${call.label}: ${quoted(argument)}`
  if (source.startsWith('Promise<'))
    return withSignature(call, {
      message: `${subject} must be ${wanted}; got a promise that is not awaited`,
      advice: argument === undefined ? 'Write await before it' : `Write ${propertyKey(argument)}: await …`,
    })
  const [meant] = source.startsWith('"')
    ? nearestNames(
        unquote(source),
        membersOf(target)
          .filter((member) => member.startsWith('"'))
          .map(unquote),
        1,
      )
    : []
  return withSignature(call, {
    message: `${subject} must be ${wanted}; got ${typeWords(source)}`,
    ...(meant !== undefined && {
      advice: `Did you mean ${argument === undefined ? quoted(meant) : `${propertyKey(argument)}: ${quoted(meant)}`}?`,
    }),
  })
}

/** A bare value where the object of arguments belongs. */
export function bareArgument(call: CallWords, source: string, written: string, required: readonly string[]): Words {
  const [only] = required
  const corrected =
    only !== undefined && required.length === 1
      ? `${call.label}({ ${propertyKey(only)}: ${shorten(written, 80)} })`
      : `${call.label}({ … })`
  return withSignature(call, {
    message: `${call.label} takes one object of arguments; got ${typeWords(source)}`,
    advice: `Write ${corrected}`,
  })
}

export function missingArguments(
  call: CallWords,
  inside: string | undefined,
  names: readonly string[],
  given: readonly string[],
): Words {
  const [first = ''] = names
  const [meant] = names.length === 1 ? nearestNames(first, given, 1) : []
  const where = inside === undefined ? call.label : `${call.label}: ${quoted(inside)}`
  const missing = names.slice(0, 8).map(quoted).join(', ')
  return withSignature(call, {
    message: `${where} needs ${missing}`,
    ...(meant !== undefined
      ? { advice: `Write ${propertyKey(first)} instead of ${shorten(meant, 60)}` }
      : inside === undefined && {
          advice: `Write ${call.label}({ ${names
            .slice(0, 8)
            .map((name) => `${propertyKey(name)}: …`)
            .join(', ')} })`,
        }),
  })
}

export function wrongCount(call: CallWords, given: number, required: readonly string[]): Words {
  if (given === 0) return missingArguments(call, undefined, required.length > 0 ? required : ['its arguments'], [])
  return withSignature(call, {
    message: `${call.label} takes one object of arguments; got ${given} arguments`,
    advice: `Put all of them into one object: ${call.label}({ … })`,
  })
}

export function extraKey(call: CallWords, key: string, meant: string | undefined, isClosed: boolean): Words {
  const rule = isClosed ? ', and it refuses others' : ''
  return withSignature(call, {
    message: `${call.label} has no argument ${quoted(key)}${rule}`,
    ...(meant !== undefined && { advice: `Did you mean ${quoted(meant)}?` }),
  })
}

export function missingMember(name: string, typeText: string, properties: readonly string[]): Words {
  if (typeText.startsWith('Promise<'))
    return {
      message: `${quoted(name)} is read from a promise that is not awaited`,
      advice: `Write (await …).${shorten(name, 60)}`,
    }
  const near = nearestNames(name, properties)
  return {
    message: `there is no ${quoted(name)} in ${typeWords(typeText)}`,
    advice:
      near.length > 0
        ? `Did you mean ${near.map(quoted).join(' or ')}?`
        : properties.length > 0 && !typeText.endsWith('[]') && typeText !== 'string'
          ? `It has: ${properties
              .slice(0, 20)
              .map((one) => shorten(one, 40))
              .join(', ')}`
          : typeText.endsWith('[]')
            ? 'It is an array: read its items'
            : 'Print the value with console.log to see what it has',
  }
}

export function unknownName(name: string, meant: string | undefined): Words {
  return {
    message: `${shorten(name, 80)} is not defined`,
    advice:
      meant === undefined ? 'Declare it, or use what the program has: tools, console, sdk' : `Did you mean ${meant}?`,
  }
}

export function notIterable(typeText: string): Words {
  if (typeText.startsWith('Promise<'))
    return {
      message: 'the items of a promise that is not awaited are asked for',
      advice: 'Write await before the call',
    }
  return { message: `${typeWords(typeText)} is no list`, advice: 'Read the field that holds the list' }
}

export function promiseAsValue(): Words {
  return { message: 'a promise that is not awaited is used as a value', advice: 'Write await before the call' }
}

export function maybeMissing(expression: string): Words {
  return {
    message: `${shorten(expression, 80)} may be missing in the result of a tool`,
    advice: `Write ${shorten(expression, 80)}?.…, or test it first`,
  }
}

export function neverEqual(source: string, target: string): Words {
  return { message: `${typeWords(source)} and ${typeWords(target)} are never equal` }
}

function withSignature({ tool }: CallWords, words: Words): Words {
  if (tool === undefined) return words
  const signature = `Signature: ${shorten(tool.signature, MAX_SIGNATURE)}`
  return { message: words.message, advice: words.advice === undefined ? signature : `${words.advice}\n${signature}` }
}

function typeWords(type: string): string {
  return shorten(type.replace(/ \| undefined$/, ''), MAX_TYPE)
}

function unquote(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

function quoted(name: string): string {
  return JSON.stringify(shorten(name, 80))
}

function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

export function shorten(text: string, maxLength: number): string {
  let shown = ''
  for (const sign of text.slice(0, maxLength).toWellFormed())
    shown += /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(sign) && sign !== '\n' ? '·' : sign
  return text.length > maxLength ? `${shown}…` : shown
}
