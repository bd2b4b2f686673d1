let bytes = 0
let sum = 0
for (let start = 0; start < 200; start += 20) {
  const blocks = await Promise.all(Array.from({ length: 20 }, (_, i) => tools.read_block({ index: start + i })))
  for (const { text } of blocks) {
    bytes += text.length
    sum += text.charCodeAt(0)
  }
}
return { bytes, sum }
