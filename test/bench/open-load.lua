-- For wrk: sends the requests of a file one after the other at a fixed rate, whether answers come or not, and again from the first. A request that finds
-- every connection busy waits, and its time counts from the moment at which it was due. Each carries that moment as its id, which the answer brings back.
--
-- Arguments: the file, in which every request ends with a zero byte; requests a second; for how many seconds; for how many milliseconds connections wait
-- before the first, until the server has taken all of them. Says nothing but how many are missing unless all were answered.

local ffi = require('ffi')
ffi.cdef('typedef struct { long s; long ns; } when; int clock_gettime(int clock, when *at);')
local at = ffi.new('when')
local MONOTONIC = 1

local heads, rests, threads = {}, {}, {}
local planned, sent = 0, 0
-- Moments at which those requests are due for which a connection waits, the earliest first.
local due, first, last = {}, 1, 0

-- Milliseconds.
local function now()
  ffi.C.clock_gettime(MONOTONIC, at)
  return tonumber(at.s) * 1000 + tonumber(at.ns) / 1e6
end

function init(arguments)
  local file = assert(io.open(arguments[1], 'rb'))
  for request in file:read('*a'):gmatch('[^%z]+') do
    local line = request:find('\r\n', 1, true)
    heads[#heads + 1] = request:sub(1, line + 1) .. 'X-Request-Id: '
    rests[#rests + 1] = request:sub(line)
  end
  file:close()
  perMs = tonumber(arguments[2]) / 1000
  all = math.floor(tonumber(arguments[2]) * tonumber(arguments[3]))
  begin = now() + tonumber(arguments[4])
  finish = begin + tonumber(arguments[3]) * 1000
  -- By status: the times until the answers, milliseconds.
  times, inTime, answered = {}, 0, 0
end

function delay()
  -- Connections that have nothing to send any more stay, for the others.
  if planned == all then return 1e9 end
  last = last + 1
  due[last] = begin + planned / perMs
  planned = planned + 1
  return math.max(0, math.ceil(due[last] - now()))
end

function request()
  local moment = due[first]
  -- wrk looks at one before it has asked for the delay of any.
  if not moment then return heads[1] .. '0' .. rests[1] end
  due[first] = nil
  first = first + 1
  sent = sent % #heads + 1
  return heads[sent] .. string.format('%.3f', moment) .. rests[sent]
end

local function percentile(values, part)
  table.sort(values)
  return #values > 0 and string.format('%.3f', values[math.min(#values, math.floor(part * #values) + 1)]) or 'null'
end

local function report()
  local statuses, good, refused = {}, {}, {}
  for status, found in pairs(times) do
    statuses[#statuses + 1] = string.format('"%d":%d', status, #found)
    local kept = status >= 200 and status < 300 and good or status == 503 and refused or {}
    for _, time in ipairs(found) do kept[#kept + 1] = time end
  end
  local line = '{"inTime":%d,"p50":%s,"p99":%s,"refusedP50":%s,"refusedP99":%s,"statuses":{%s}}\n'
  io.write(line:format(inTime, percentile(good, 0.5), percentile(good, 0.99), percentile(refused, 0.5), percentile(refused, 0.99), table.concat(statuses, ',')))
end

function response(status, headers)
  local came = now()
  local found = times[status] or {}
  times[status] = found
  found[#found + 1] = came - tonumber(headers['X-Request-Id'])
  answered = answered + 1
  if status >= 200 and status < 300 and came <= finish then inTime = inTime + 1 end
  if answered < all then return end
  report()
  -- wrk itself ends only when its time is up.
  io.flush()
end

function setup(thread)
  threads[#threads + 1] = thread
end

function done()
  local missing = threads[1]:get('all') - threads[1]:get('answered')
  if missing > 0 then io.write(string.format('{"missing":%d}\n', missing)) end
end
