const all: { id: number; value: number }[] = []
let cursor: string | undefined
do {
  const page = await tools.fetch_page({ cursor })
  all.push(...page.items)
  cursor = page.next ?? undefined
} while (cursor)
return all.map((item) => item.id)
