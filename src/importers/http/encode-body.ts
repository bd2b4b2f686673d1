import { randomBytes } from 'node:crypto'
import { CodedError } from '../../data/failure.ts'
import { isRecord, type Json } from '../../data/json.ts'
import { queryPairs, scalarText, type ParameterStyle } from './parameter-styles.ts'

export interface FieldEncoding {
  readonly style?: ParameterStyle
  readonly explode?: boolean
  readonly contentType?: string
}

/** How the body of a request is written. */
export interface BodyPlan {
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'binary'
  /** As the document has it; multipart adds its boundary. */
  readonly mediaType: string
  readonly fields?: ReadonlyMap<string, FieldEncoding>
}

export interface EncodedBody {
  readonly bytes: Uint8Array
  readonly contentType: string
}

/** How to write a body of a media type: JSON and forms by their structure, other text as text, the rest from base64. */
export function bodyKind(mediaType: string): BodyPlan['as'] {
  const type = essence(mediaType)
  if (type === '*/*' || type === 'application/*' || isJsonType(type)) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  return isTextType(type) ? 'text' : 'binary'
}

export function isJsonType(mediaType: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]*\+)?json$/.test(essence(mediaType))
}

export function isTextType(mediaType: string): boolean {
  const type = essence(mediaType)
  return (
    type.startsWith('text/') ||
    /^application\/(?:[\w.-]+\+)?(?:xml|yaml|x-yaml|javascript|ecmascript|graphql|sql|x-ndjson|jsonl|x-www-form-urlencoded)$/.test(
      type,
    ) ||
    isJsonType(type)
  )
}

export function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

export function encodeBody(value: Json, plan: BodyPlan): EncodedBody {
  switch (plan.as) {
    case 'json':
      return { bytes: Buffer.from(JSON.stringify(value)), contentType: concrete(plan.mediaType, 'application/json') }
    case 'form':
      return { bytes: Buffer.from(formText(value, plan)), contentType: plan.mediaType }
    case 'multipart':
      return multipart(value, plan)
    case 'text':
      return { bytes: Buffer.from(scalarText(value)), contentType: concrete(plan.mediaType, 'text/plain') }
    case 'binary':
      return { bytes: fileOf(value).bytes, contentType: concrete(plan.mediaType, 'application/octet-stream') }
  }
}

function concrete(mediaType: string, fallback: string): string {
  return mediaType.includes('*') ? fallback : mediaType
}

function formText(value: Json, plan: BodyPlan): string {
  return membersOf(value)
    .flatMap(([name, item]) => {
      const { style = 'form', explode = style === 'form' } = plan.fields?.get(name) ?? {}
      return queryPairs(name, isRecord(item) && style === 'form' ? JSON.stringify(item) : item, style, explode)
    })
    .map((pair) => `${pair.name}=${pair.value}`)
    .join('&')
}

/** The parts are written out here: their sizes are known, and the values are text of a program, which must not end a header. */
function multipart(value: Json, plan: BodyPlan): EncodedBody {
  const boundary = `codeferry-${randomBytes(18).toString('hex')}`
  const parts: Uint8Array[] = []
  for (const [name, item] of membersOf(value)) {
    for (const single of Array.isArray(item) ? item : [item as Json]) {
      if (single === null) continue
      const part = partOf(single, plan.fields?.get(name)?.contentType)
      const filename = part.filename === undefined ? '' : `; filename="${quotable(part.filename)}"`
      parts.push(
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"${filename}\r\n` +
            `${part.contentType === undefined ? '' : `Content-Type: ${part.contentType}\r\n`}\r\n`,
        ),
        part.bytes,
        Buffer.from('\r\n'),
      )
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`))
  return {
    bytes: Buffer.concat(parts),
    contentType: `${concrete(plan.mediaType, 'multipart/form-data')}; boundary=${boundary}`,
  }
}

interface Part {
  readonly bytes: Uint8Array
  readonly filename?: string
  readonly contentType?: string
}

function partOf(value: Json, wanted: string | undefined): Part {
  if (isRecord(value) && typeof value['base64'] === 'string') return fileOf(value as Json)
  const declared = wanted === undefined || wanted.includes('*') || wanted.includes(',') ? undefined : wanted
  if (typeof value === 'object') return { bytes: Buffer.from(JSON.stringify(value)), contentType: 'application/json' }
  return { bytes: Buffer.from(scalarText(value)), ...(declared !== undefined && { contentType: declared }) }
}

/** A file as programs write one: `{ base64, filename?, contentType? }`, or a text. */
function fileOf(value: Json): Part {
  if (!isRecord(value)) return { bytes: Buffer.from(scalarText(value)) }
  const { base64, filename, contentType } = value
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) {
    throw invalid('a file is { base64: string, filename?: string, contentType?: string }, or a text')
  }
  if (
    contentType !== undefined &&
    (typeof contentType !== 'string' || !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.-]+)?$/.test(contentType))
  ) {
    throw invalid('"contentType" of a file must be a media type such as image/png')
  }
  return {
    bytes: Buffer.from(base64, 'base64'),
    filename: typeof filename === 'string' ? filename : 'file',
    contentType: contentType ?? 'application/octet-stream',
  }
}

function membersOf(value: Json): [string, Json][] {
  if (!isRecord(value)) throw invalid('the body of a form must be an object')
  return Object.entries(value as { readonly [key: string]: Json }).filter(([, item]) => item !== undefined)
}

/** As browsers write names and file names in a part's header. */
function quotable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('"', '%22')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll('\0', '%00')
}

function invalid(message: string): CodedError {
  return new CodedError('INVALID_ARGS', `${message}; nothing was sent`)
}
