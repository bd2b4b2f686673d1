const done = await [1, 3].reduce(async (previous, number) => {
  const list = await previous
  const issue = await tools.get_issue({ number })
  if (issue.comments < 5) return list
  const { ok } = await tools.add_label({ number, label: 'hot' })
  return ok ? [...list, issue.title] : list
}, Promise.resolve([]))
return done
