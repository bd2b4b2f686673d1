import { stemOf } from './stem.ts'

/**
 * What people say and what tools are called. One line is one meaning, a word may stand in several. The words belong to
 * trades (development, operation, offices, shops, devices); none is here for the sake of one tool.
 */
const MEANINGS = `
create, add, make, new, insert, register, provision, build
create, write, compose, draft, author
start, launch, boot, run, begin, open, spin up, turn on
delete, remove, drop, erase, destroy, purge, discard, wipe, trash, get rid of
cancel, revoke, abort, call off
uninstall, remove
list, show, display, enumerate, browse, view
get, fetch, read, retrieve, obtain, show, view, look at
search, find, look for, look up, locate, discover, query
filter, match, narrow
update, edit, modify, change, alter, patch, adjust, revise, rewrite, set
rename, retitle
replace, substitute, swap
move, relocate, transfer, drag
copy, duplicate, clone, replicate, fork
send, deliver, dispatch, mail, forward
upload, attach, put
download, save, export
import, load, ingest
stop, halt, end, terminate, kill, quit, shut down, turn off
restart, reboot, reload
run, execute, invoke, trigger, perform
pause, suspend, hold, freeze, halt
resume, continue, unpause
enable, activate, allow, turn on, switch on
disable, deactivate, turn off, switch off
allow, permit, grant, authorize, whitelist, allowlist
deny, block, forbid, refuse, blacklist
approve, accept, confirm
reject, decline, deny
check, verify, validate, test, inspect, examine
compare, diff, difference, differ
count, how many, number of, total
calculate, compute, estimate, work out
convert, transform, turn into
translate, language
summary, summarize, overview, recap, digest
explain, describe, documentation, meaning, definition
merge, combine, join, unite
split, divide, separate
sort, order by, rank
schedule, plan, calendar
book, reserve, reservation, booking, allocate
wait, sleep, delay
connect, link, associate, relate
disconnect, detach, unlink
click, press, tap
type, enter, fill
choose, pick, select
scroll, wheel, swipe
resize, dimension, width, height, size
rotate, orientation, landscape, portrait
screenshot, screen shot, capture, snapshot
record, recording, capture
hide, invisible, conceal
skip, leave out, omit, exclude, ignore
lock, protect
follow, subscribe, watch
unfollow, unsubscribe
comment, remark, note, annotation
reply, respond, answer
review, feedback, rating
assign, delegate, assignee
invite, share
publish, post, release
deploy, release, rollout, ship
install, set up, setup
configure, configuration, config, setting, option, preference, set up
backup, snapshot
restore, recover, revert, roll back, undo
monitor, observe, watch, metric
debug, debugger
diagnose, troubleshoot, root cause
log, journal
error, failure, exception, crash, fault
backtrace, stack trace, stack
issue, ticket, bug, defect, task
pull request, change request, merge request, pr
branch, line of development
commit, revision, changeset
repository, repo
tag, label
milestone, sprint, iteration
history, changelog, timeline
blame, annotate, who changed
pipeline, workflow, build, job
secret, credential, password, token
login, log in, sign in, authenticate, authentication
logout, log out, sign out
password, passphrase
forgotten, forgot, lost
permission, access, right, privilege, authorization, role
user, member, person, people, account
customer, client, buyer
employee, staff, worker
human, person, people
team, group, squad
organization, org, company, enterprise
business, company
friend, contact
message, chat, text
email, mail, e mail
notification, notify, alert
alert, alarm, warning
phone, telephone, call
meeting, appointment, call
engagement, activity, interaction
channel, room, conversation
document, doc, file, page
documentation, docs, manual, guide, reference, knowledge
guidance, best practice, advice, recommendation, advisor
folder, directory
path, location
spreadsheet, sheet, table
row, record, entry, item, document
column, field, attribute, property
collection, table
database, db
query, sql, statement
schema, structure, shape
server, host, machine
virtual machine, vm, instance
container, pod
node, machine
namespace, project
image, picture, photo
audio, sound, voice, speech
transcribe, speech to text, dictation, recognize
video, clip, film
movie, film
song, track, music
color, colour
dark mode, appearance, theme, color scheme
font, typeface, typography
style, css
component, widget
element, node
page, site, website, web page, webpage
screen, display
tab, window
window, viewport, browser window
url, link, web address
network, connection
firewall, ip range
certificate, tls, ssl
vulnerability, security risk, weakness, security issue
audit, scan, assess, evaluate
performance, speed
throttle, slow down, slow
simulate, emulate, mimic
simulator, emulator
device, phone, mobile, handset
app, application, program
package, library, module
price, cost, charge, fee, expense, how much
bill, invoice
payment, pay
transaction, payment
refund, return, money back
buy, purchase, order
cart, basket
product, item, goods
stock, share, equity
currency, exchange rate
balance, funds
discount, coupon, voucher
shipping, delivery, shipment
weather, forecast
temperature, climate, heat, cool, warm
car, vehicle, automobile
ride, taxi, cab
flight, plane, airline
trip, travel, journey
hotel, accommodation, lodging
restaurant, dining, eatery
recipe, dish
city, town
map, route, directions
date, day
time, clock
place, location
reminder, alarm
event, calendar, appointment
vacation, leave, holiday, time off
news, headline, article
article, post, story
doctor, physician
compress, zip, gzip, archive
extract, unzip, decompress
encrypt, encode
scrape, crawl, extract
pattern, glob, regex
tree, hierarchy
relation, relationship, link, edge
memory, remember, store
quota, limit, usage
usage, consumption, statistics
statistics, analytics, metrics
chart, graph, plot
diagram, drawing
board, kanban
status, state, condition
close, resolve, finish, complete
template, blueprint, boilerplate
form, questionnaire, survey
vote, poll
variable, env, environment variable
parameter, argument, input
required, mandatory
script, code, program
function, method, procedure
bucket, blob storage
storage, disk, volume
queue, topic
domain, hostname
region, location
scale, replicas
question, ask, prompt
reason, think, thought
coordinates, position, location
keyboard, key
mouse, pointer, cursor
dialog, popup, modal
accessibility, a11y
synchronize, sync, up to date, rebase
administrator, admin
`

/** Longest entry, in words. */
export const MAX_PHRASE = 3

/**
 * By stem, or by the stems of several words in a row joined by spaces: the other entries of its meanings, likewise
 * written. Made on first use, as not every program searches.
 */
export function synonymsByPhrase(): ReadonlyMap<string, readonly string[]> {
  known ??= readMeanings()
  return known
}

let known: ReadonlyMap<string, readonly string[]> | undefined

function readMeanings(): ReadonlyMap<string, readonly string[]> {
  const synonyms = new Map<string, Set<string>>()
  for (const line of MEANINGS.trim().split('\n')) {
    const entries = line.split(', ').map((entry) => entry.split(' ').map(stemOf).join(' '))
    for (const entry of entries) {
      const others = synonyms.get(entry) ?? new Set()
      synonyms.set(entry, others)
      for (const other of entries) if (other !== entry) others.add(other)
    }
  }
  return new Map([...synonyms].map(([entry, others]) => [entry, [...others]]))
}
