/** A refusal of a whole HTTP request, in the words of its protocol. It answers no message, so it has no id. */
export function rpcRefusal(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}

/** The same bytes whether it never was, has ended, or belongs to somebody else. */
export function unknownSession(): Response {
  return rpcRefusal(404, -32_001, 'there is no such session; begin with initialize')
}
