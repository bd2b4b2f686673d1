import { canonicalJson } from '../data/canonical.ts'
import type { Json, JsonObject } from '../data/json.ts'
import { valueAt } from '../data/pointer.ts'
import type { ArgumentTest } from './schema/argument-test.ts'
import { toRegExp } from './schema/fields.ts'

/**
 * A regular expression looks at no longer text. What is longer counts as found: these tests lead to a question or a
 * denial, and a model must not get round them by writing more.
 */
const MAX_TEXT = 16 * 1024

/** A predicate that holds when every test does. */
export function compileArgumentTests(given: ArgumentTest | readonly ArgumentTest[]): (args: JsonObject) => boolean {
  const tests = [given].flat().map(compileTest)
  return (args) => tests.every((test) => test(args))
}

function compileTest(test: ArgumentTest): (args: JsonObject) => boolean {
  const holds = compileValueTest(test)
  return (args) => holds(valueAt(args, test.pointer))
}

function compileValueTest(test: ArgumentTest): (value: Json | undefined) => boolean {
  if (test.exists !== undefined) {
    const { exists } = test
    return (value) => (value !== undefined) === exists
  }
  if (test.matches !== undefined) {
    const pattern = toRegExp(test.matches)
    const finds = (text: string) => text.length > MAX_TEXT || pattern.test(text)
    return (value) => {
      if (value === undefined) return false
      return isList(value) ? value.some((item) => finds(textOf(item))) : finds(textOf(value))
    }
  }
  // The file was JSON, so what it compares with is too.
  const wanted = new Set((test.in ?? [test.equals]).map((value) => canonicalJson(value as Json)))
  return (value) => value !== undefined && wanted.has(canonicalJson(value))
}

/** A text as it is, anything else as JSON: a value of an unexpected kind is still looked at. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value)
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
