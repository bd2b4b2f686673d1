import { CodedError } from '../../data/failure.ts'
import { createHttpCaller, type HttpCallerOptions } from '../http/http-caller.ts'

/**
 * The text of a description at a URL, through a caller with the guards of every other call. Credentials for the API do not
 * go along: documents lie on other servers, and are public.
 */
export async function fetchDocument(url: string, options: HttpCallerOptions): Promise<string> {
  if (!URL.canParse(url)) throw new CodedError('CONFIG_INVALID', `"spec" is no URL`)
  await using caller = createHttpCaller(options)
  const headers = new Map([['accept', 'application/json, application/yaml, text/yaml, */*;q=0.5']])
  const reply = await caller.send({ method: 'GET', url: new URL(url), headers })
  if (reply.status < 200 || reply.status > 299) {
    throw new CodedError('CONFIG_INVALID', `"spec": its server answers with HTTP ${reply.status}; check the URL`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(reply.body)
  } catch {
    throw new CodedError('CONFIG_INVALID', `"spec": what its server sends is not UTF-8 text`)
  }
}
