curl -s https://example.test/users | jq '.[0]'
