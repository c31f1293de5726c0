"""What Redis holds of questions, and the steps that change it, each as one script.

Of a question: `request` says whether it is `queued` or `computing`, until its deadline or the worker's next sign;
`question` is what a worker needs: "1" for a short one or "0", the number of the latest turn when it came (15 digits),
its JSON; `wanted` has who waits for it until when (PERSON, newline, ASKER); `reply` is a list of one entry, so that
any number of web processes may block on it without taking it away. `line` has all that wait by when they came, and
`mine` those of a person: {key: when and on which page}. `served` has the number of each person's latest turn, `turn`
that of all, `asker` the latest question of an asker, `dropped` a question that was dropped, until its asker asks again.
Redis' own clock counts; what is about single questions and people expires.
"""

from __future__ import annotations

PREFIX = "schedscope:answers:"

_CLOCK = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""
_HELPERS = (
    f"local prefix = '{PREFIX}'"
    + _CLOCK
    + r"""
local function state_of(key) return redis.call('GET', prefix .. 'request:' .. key) end

local function members_of(key)
  redis.call('ZREMRANGEBYSCORE', prefix .. 'wanted:' .. key, '-inf', now)
  return redis.call('ZRANGE', prefix .. 'wanted:' .. key, 0, -1)
end

local function person_of(member) return string.match(member, '^(.-)\n') or '' end

local function is_wanted_by(key, person)
  for _, member in ipairs(members_of(key)) do
    if person_of(member) == person then return true end
  end
  return false
end

local function give_up_unless_wanted(key)
  if state_of(key) == 'queued' and #members_of(key) == 0 then
    redis.call('DEL', prefix .. 'request:' .. key, prefix .. 'question:' .. key)
    redis.call('ZREM', prefix .. 'line', key)
  end
end

local function wants(key, member, milliseconds)
  redis.call('ZADD', prefix .. 'wanted:' .. key, now + milliseconds, member)
  redis.call('PEXPIRE', prefix .. 'wanted:' .. key, 120000)
end
"""
)

# ARGV: key, person, asker, milliseconds that it is wanted, "1" where it is looked at again while it is held back,
# page, "1" after its deadline: its asker then waits for it no more.
# {'found', reply}, {'late'}, {'dropped'}, {'replaced'}, {'computing' or 'queued', whether a worker is there}, or
# {'new', whether a worker is there, of each other open question of the person: key, when and on which page, state}.
LOOK = (
    _HELPERS
    + r"""
local key, person, asker = ARGV[1], ARGV[2], ARGV[3]
local member = person .. '\n' .. asker
if asker ~= '' then
  local name = prefix .. 'asker:' .. member
  local before = redis.call('GET', name)
  if before and before ~= key then
    if ARGV[5] == '1' then return {'replaced'} end
    redis.call('ZREM', prefix .. 'wanted:' .. before, member)
    give_up_unless_wanted(before)
  end
  redis.call('SET', name, key, 'PX', 120000)
end
local reply = redis.call('LINDEX', prefix .. 'reply:' .. key, 0)
if reply then return {'found', reply} end
if ARGV[7] == '1' then
  redis.call('ZREM', prefix .. 'wanted:' .. key, member)
  give_up_unless_wanted(key)
  return {'late'}
end
if redis.call('DEL', prefix .. 'dropped:' .. member .. '\n' .. key) == 1 then return {'dropped'} end
local is_present = redis.call('EXISTS', prefix .. 'present')
local state, mine = state_of(key), prefix .. 'mine:' .. person
local place = redis.call('HGET', mine, key)
if state == 'computing' or (state and place) then
  -- The address of a page may have changed meanwhile.
  if place then redis.call('HSET', mine, key, string.match(place, '^%d+') .. ' ' .. ARGV[6]) end
  wants(key, member, ARGV[4])
  return {state, is_present}
end
local said, open = {'new', is_present}, redis.call('HGETALL', mine)
for n = 1, #open, 2 do
  local other = state_of(open[n])
  if other and open[n] ~= key and is_wanted_by(open[n], person) then
    table.insert(said, open[n])
    table.insert(said, open[n + 1])
    table.insert(said, other)
  else
    redis.call('HDEL', mine, open[n])
  end
end
return said
"""
)

# ARGV: key, person, asker, milliseconds that it is wanted, milliseconds to the deadline, page, JSON, the key of the
# question that is dropped for it or "", "1" where it is short, else "0", then the keys of the person's open questions
# as LOOK gave them. 'again' where these are others by now; 'new' where a message is to be sent, else 'old'.
ENTER = (
    _HELPERS
    + r"""
local key, person, mine = ARGV[1], ARGV[2], prefix .. 'mine:' .. ARGV[2]
if redis.call('HLEN', mine) ~= #ARGV - 9 then return 'again' end
for n = 10, #ARGV do
  if redis.call('HEXISTS', mine, ARGV[n]) == 0 then return 'again' end
end
if ARGV[8] ~= '' then
  if state_of(ARGV[8]) == 'computing' then return 'again' end
  for _, member in ipairs(members_of(ARGV[8])) do
    if person_of(member) == person then
      redis.call('SET', prefix .. 'dropped:' .. member .. '\n' .. ARGV[8], '1', 'PX', 120000)
      redis.call('ZREM', prefix .. 'wanted:' .. ARGV[8], member)
    end
  end
  redis.call('HDEL', mine, ARGV[8])
  give_up_unless_wanted(ARGV[8])
end
local arrived = string.format('%.0f', time[1] * 1000000 + time[2])
wants(key, person .. '\n' .. ARGV[3], ARGV[4])
redis.call('HSET', mine, key, arrived .. ' ' .. ARGV[6])
redis.call('PEXPIRE', mine, 120000)
if state_of(key) then return 'old' end
local left = math.max(tonumber(ARGV[5]), 1)
redis.call('SET', prefix .. 'request:' .. key, 'queued', 'PX', left)
local turn = string.format('%015.0f', redis.call('GET', prefix .. 'turn') or 0)
redis.call('SET', prefix .. 'question:' .. key, ARGV[9] .. turn .. ARGV[7], 'PX', left)
redis.call('ZADD', prefix .. 'line', arrived, key)
return 'new'
"""
)

# What waits: {{key, the first 16 characters of the question, when it came, people...}...}, {{person, the number of the
# latest turn}...}, the number of the latest turn of all.
WAITING = (
    _HELPERS
    + r"""
local waiting, turns, seen = {}, {}, {}
local line = redis.call('ZRANGE', prefix .. 'line', 0, -1, 'WITHSCORES')
for n = 1, #line, 2 do
  local key, people, counted = line[n], {}, {}
  for _, member in ipairs(members_of(key)) do
    local person = person_of(member)
    if not counted[person] then table.insert(people, person) end
    counted[person] = true
  end
  if state_of(key) == 'queued' and #people > 0 then
    local head = redis.call('GETRANGE', prefix .. 'question:' .. key, 0, 15)
    table.insert(waiting, {key, head, line[n + 1], unpack(people)})
    for _, person in ipairs(people) do
      local turn = not seen[person] and redis.call('ZSCORE', prefix .. 'served', person)
      if turn then table.insert(turns, {person, turn}) end
      seen[person] = true
    end
  else
    redis.call('ZREM', prefix .. 'line', key)
    give_up_unless_wanted(key)
  end
end
return {waiting, turns, redis.call('GET', prefix .. 'turn') or '0'}
"""
)

# ARGV: key, the person whose turn it is or "", milliseconds that it counts as being computed.
# {milliseconds to the deadline, question or ""}; nothing where it does not wait, or nobody waits for it.
TAKE = (
    _HELPERS
    + r"""
local name = prefix .. 'request:' .. ARGV[1]
give_up_unless_wanted(ARGV[1])
local left = redis.call('PTTL', name)
if left <= 0 or state_of(ARGV[1]) ~= 'queued' then return {} end
redis.call('ZREM', prefix .. 'line', ARGV[1])
redis.call('SET', name, 'computing', 'PX', ARGV[3])
if ARGV[2] ~= '' then
  redis.call('ZADD', prefix .. 'served', redis.call('INCR', prefix .. 'turn'), ARGV[2])
  redis.call('ZREMRANGEBYRANK', prefix .. 'served', 0, -1001)
end
return {left, redis.call('GET', prefix .. 'question:' .. ARGV[1]) or ''}
"""
)

# ARGV: key, milliseconds that it counts as being computed. 0 where nobody waits for it any more, else 1.
BEAT = (
    _HELPERS
    + r"""
local name = prefix .. 'request:' .. ARGV[1]
if redis.call('EXISTS', name) == 0 or #members_of(ARGV[1]) == 0 then
  redis.call('DEL', name)
  return 0
end
redis.call('SET', name, 'computing', 'PX', ARGV[2])
return 1
"""
)
