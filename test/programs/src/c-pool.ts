const queue = [1, 2, 3, 4, 1, 2]
const out: string[] = []
let running = 0
let most = 0
async function worker() {
  for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
    most = Math.max(most, ++running)
    out.push((await tools.get_issue({ number })).title)
    running--
  }
}
await Promise.all([worker(), worker(), worker()])
return { n: out.length, most }
