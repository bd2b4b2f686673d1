async () => {
  const issue = await tools.get_issue({ number: 3 })
  return issue.labels.join('+')
}
