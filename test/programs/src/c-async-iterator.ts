const pages = {
  [Symbol.asyncIterator]() {
    let next: string | null = ''
    return {
      async next() {
        if (next === null) return { done: true as const, value: undefined }
        const page = await tools.fetch_page(next === '' ? {} : { cursor: next })
        next = page.next
        return { done: false as const, value: page.items.length }
      },
    }
  },
}
const sizes = []
for await (const size of pages) sizes.push(size)
return sizes
