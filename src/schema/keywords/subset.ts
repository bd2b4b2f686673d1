import { additionalProperties } from './additional-properties.ts'
import { annotations } from './annotations.ts'
import { constKeyword } from './const.ts'
import { enumKeyword } from './enum.ts'
import { items } from './items.ts'
import type { Keyword } from './keyword.ts'
import { oneOf } from './one-of.ts'
import { properties } from './properties.ts'
import { required } from './required.ts'
import { type } from './type.ts'

/** Every keyword an author may use, in the order in which a value is checked. */
export const SUBSET: readonly Keyword[] = [
  type,
  enumKeyword,
  constKeyword,
  oneOf,
  required,
  additionalProperties,
  properties,
  items,
  ...annotations,
]
