import { describe, expect, test } from 'vitest'
import { createNearestNames, didYouMean, nearestNames } from '../../src/data/nearest-names.ts'

describe('the first guess is what a person would have meant', () => {
  const tools = [
    'weather.get',
    'weather_forecast',
    'github.create_issue',
    'github.list_issues',
    'files/read',
    'send_email',
    'days',
    'city',
  ]
  test.each([
    ['getWeather', 'weather.get'],
    ['weatherForecast', 'weather_forecast'],
    ['Weather-Get', 'weather.get'],
    ['github_create_issue', 'github.create_issue'],
    ['github.creat_isue', 'github.create_issue'],
    ['dyas', 'days'],
    ['citty', 'city'],
    ['read_file', 'files/read'],
    ['email', 'send_email'],
    ['list_issues', 'github.list_issues'],
  ])('%s → %s', (wanted, meant) => {
    expect(nearestNames(wanted, tools)[0]).toBe(meant)
  })
})

test('what is like nothing has no guess', () => {
  expect(nearestNames('zzzzqqq', ['weather.get', 'city'])).toEqual([])
  expect(nearestNames('', ['city'])).toEqual([])
  expect(didYouMean('zzzzqqq', ['city'])).toBe('')
})

test('a variant of case or separators comes before a typing error', () => {
  expect(nearestNames('get_user', ['get_users', 'getUser', 'gte_user'])).toEqual(['getUser', 'get_users', 'gte_user'])
})

test('guesses are put in a sentence', () => {
  expect(didYouMean('citty', ['city', 'cittys', 'other'])).toBe(' Did you mean "cittys" or "city"?')
  expect(didYouMean('citty', ['city'])).toBe(' Did you mean "city"?')
})

test('ten thousand candidates and names as long as a program are no trouble', () => {
  const many = Array.from(
    { length: 10_000 },
    (_, index) => `server_${index % 37}.tool_${index}_${'x'.repeat(index % 50)}`,
  )
  expect(nearestNames('server_1.tool_1', [...many, 'server-1.tool-1'])[0]).toBe('server-1.tool-1')
  expect(nearestNames('a'.repeat(1_000_000), ['b'.repeat(1_000_000)])).toEqual([])
})

test('among hundreds of names of nearly the same letters the nearest is still found, asked once or often', () => {
  const names = Array.from({ length: 600 }, (_, n) => `get_list_of_create_update_delete_${n}`)
  const nearest = createNearestNames(names)
  for (const n of [0, 77, 599]) {
    const wanted = `get_lits_of_create_update_delete_${n}`
    expect(nearest(wanted)[0]).toBe(names[n])
    expect(nearest(wanted)).toEqual(nearestNames(wanted, names))
  }
  expect(nearest('list_delete', 1)).toHaveLength(1)
})
