const { issues } = await tools.list_issues({ owner: 'acme', repo: 'site', state: 'all', per_page: 50 })
outer: for (const issue of issues) {
  for (const label of issue.labels) {
    if (label === 'docs') continue outer
    if (label === 'p1') return issue.number
  }
}
return null
