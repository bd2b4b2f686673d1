const closed = await tools.close_issue({ number: 1, reason: 'completed', comment: 'done' })
console.log(closed.state)
await tools.broken({ id: closed.number })
return closed.state
