const issue = await tools.github.issue_read({ issue_number: 1 })
const { labels } = await tools.github.list_labels({ repo: 'site' })
return { title: issue.title, colors: labels.filter((l) => issue.labels.includes(l.name)).map((l) => l.color) }
