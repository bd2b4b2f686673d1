async function* items() {
  let cursor: string | null | undefined
  for (;;) {
    const page = await tools.fetch_page(cursor ? { cursor } : {})
    yield* page.items
    if (!page.next) return
    cursor = page.next
  }
}
const out: number[] = []
for await (const item of items()) {
  out.push(item.value)
  if (out.length === 3) break
}
return out
