-- For wrk: sends the requests of a file one after the other, on whichever connection is free, and again from the first. Behind each may stand one
-- that is sent after it was answered with 201, to bring back what it took; the user whom the answer names tells which.
--
-- Arguments: the file, in which every request ends with a zero byte; how many belong together, 1 or 2; the id of the user of the first ones; how many
-- connections there are, and how long each waits before its first request, milliseconds. A server takes connections while they wait: Node takes
-- one in each turn of its event loop, which under load are seconds until it has all.

local firsts, seconds, due, sent, waiting = {}, {}, {}, 0, 0

function init(arguments)
  local file = assert(io.open(arguments[1], 'rb'))
  local together, last = tonumber(arguments[2]), 0
  firstUser, waiting, waitMs = tonumber(arguments[3]), tonumber(arguments[4]), tonumber(arguments[5])
  for request in file:read('*a'):gmatch('[^%z]+') do
    last = last + 1
    if together == 2 and last % 2 == 0 then seconds[#seconds + 1] = request else firsts[#firsts + 1] = request end
  end
  file:close()
  -- To look at an answer costs wrk time, so it does that only where it must.
  if together == 2 then response = bringBack end
  begunAt = os.clock()
end

function delay()
  if waiting == 0 then return 0 end
  waiting = waiting - 1
  return waitMs
end

function request()
  if #due > 0 then return table.remove(due) end
  sent = sent % #firsts + 1
  return firsts[sent]
end

function bringBack(status, _, body)
  if status == 201 then due[#due + 1] = seconds[tonumber(body:match('"userId":(%d+)')) - firstUser + 1] end
end

local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

-- Times in microseconds, but that of the processor, which is in seconds.
function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  local processor = os.clock() - threads[1]:get('begunAt')
  local line = '{"took":%d,"answers":%d,"refused":%d,"lost":%d,"p50":%d,"p99":%d,"processor":%f}\n'
  io.write(line:format(summary.duration, summary.requests, errors.status, lost, latency:percentile(50), latency:percentile(99), processor))
end
