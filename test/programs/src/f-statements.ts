const { issues } = await tools.list_issues({ owner: 'acme', repo: 'site' })
const open = issues.filter((issue) => issue.state === 'open')
return { open: open.length, authors: [...new Set(open.map((issue) => issue.author.login))].sort() }
