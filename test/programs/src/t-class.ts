class Pager {
  #cursor: string | undefined
  #done = false
  pages = 0
  get done(): boolean { return this.#done }
  async next() {
    const page = await tools.fetch_page(this.#cursor === undefined ? {} : { cursor: this.#cursor })
    this.#cursor = page.next ?? undefined
    this.#done = page.next === null
    this.pages++
    return page.items
  }
}
const pager = new Pager()
let sum = 0
while (!pager.done) for (const item of await pager.next()) sum += item.value
return { sum, pages: pager.pages }
