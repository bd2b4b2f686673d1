// Add up the sales of every shop, remember the totals, and report.
interface Shop {
  shop: string
  orders: number
  total: number
}

const { content: allowed } = await tools.filesystem.list_allowed_directories()
const folder = allowed.split('\n').at(-1)!.trim()
const { content: listing } = await tools.filesystem.list_directory({ path: folder })
const files = listing
  .split('\n')
  .filter((line) => line.startsWith('[FILE] ') && line.endsWith('.csv'))
  .map((line) => line.slice('[FILE] '.length))
console.log(`${files.length} files in the folder`)

// All files at once: one round trip for the model, however many there are.
const shops: Shop[] = await Promise.all(
  files.map(async (file) => {
    const { content } = await tools.filesystem.read_text_file({ path: `${folder}/${file}` })
    const amounts = content
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => Number(row.split(',')[2]))
    const total = amounts.reduce((sum, amount) => sum + amount, 0)
    console.log(`${file}: ${amounts.length} orders`)
    return { shop: file.replace('.csv', ''), orders: amounts.length, total: Math.round(total * 100) / 100 }
  }),
)

await tools.memory.create_entities({
  entities: shops.map(({ shop, total }) => ({ name: shop, entityType: 'shop', observations: [`sold for ${total}`] })),
})
const { entities } = await tools.memory.read_graph()

// A tool that answers with an image: show() passes it on to whoever reads the result.
const picture = await tools.full('everything.get-tiny-image')
for (const block of picture.content) if (block.type === 'image') show(block)

// A failing call is an ordinary error.
let budget = 'no budget file'
try {
  budget = (await tools.filesystem.read_text_file({ path: `${folder}/budget.txt` })).content
} catch (error) {
  console.warn(`budget.txt: ${(error as ToolError).code}`)
}

return {
  shops,
  total: Math.round(shops.reduce((sum, { total }) => sum + total, 0) * 100) / 100,
  best: shops.toSorted((a, b) => b.total - a.total)[0]?.shop,
  remembered: entities.length,
  budget,
}
