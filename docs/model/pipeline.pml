/*
 * The way of a command from the API to its effect, with every moment at which something may die, stand still or be cut off.
 * README.md beside this file says what is checked and how to run it. "models:" names the code that a transition stands for.
 */

#define WORKERS 3
#define PARTITIONS 2
#define COMMANDS 4

/* Budgets: so many faults happen in a run, of whatever kind and at whatever moment, and so many confirms are lost. */
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef LOST_CONFIRMS
#define LOST_CONFIRMS 0
#endif

/* Messages of a partition's queue in a whole run: its commands, and each that is sent again. */
#define LENGTH 3
#define NOBODY WORKERS
#define SLOTS 6 /* WORKERS * PARTITIONS */
#define MESSAGES 6 /* PARTITIONS * LENGTH */
#define AT(w, p) ((w) * PARTITIONS + (p))
#define MESSAGE(p, i) ((p) * LENGTH + (i))
/* Commands 0 and 1 are of one key, 2 and 3 of another, and each key has a partition of its own. */
#define PARTITION(c) ((c) / 2)
#define BIT(c) (1 << (c))
#define OF(p) (3 << (2 * (p)))

/* ---- The API: a command is not known to be stored, or it is promised. */
#define UNKNOWN 0
#define PROMISED 1
byte api[COMMANDS];
byte lostConfirms = LOST_CONFIRMS;

/* ---- RabbitMQ. A queue is a list that only grows, of which a part at the front is acknowledged. */
byte queue[MESSAGES];
byte length[PARTITIONS];
byte acked[PARTITIONS];
byte consumer[PARTITIONS] = NOBODY;

/* ---- MySQL. */
/* Who took the partition over last. */
byte owner[PARTITIONS] = NOBODY;
/* An epoch only counts as the newest one of its partition, or as an older one; 0 is none. */
#define OLDER 1
#define NEWEST 2
byte locked[PARTITIONS] = NOBODY;
/* Commands whose effect and outcome are stored. */
byte stored;

/* A worker's connection has a transaction open. */
bit transaction[WORKERS];
/* What was sent behind a COMMIT is still to be begun. */
bit behindCommit[WORKERS];
/* The worker has given this connection up, or cannot be heard on it any more. */
bit broken[WORKERS];
/* What the transaction is about: messages from and to, the epochs that its fence asks for, and the outcomes that it read. */
byte txFrom[SLOTS];
byte txTo[SLOTS];
byte txEpoch[SLOTS];
byte known[WORKERS];

/* Answers that wait for the worker: to what it sent last, and to what it sent behind a COMMIT. */
#define NONE 0
#define DONE 1
#define FENCED 2
#define FAILED 3
byte answer[WORKERS];
byte behind[WORKERS];

/* ---- The workers. */
/* One that stands still for ever keeps its connections; one that is dead loses them. */
#define LIVES 0
#define STANDS_STILL 1
#define DEAD 2
byte life[WORKERS];

#define IDLE 0
#define TAKING 1
#define START 2
#define STARTED 3
#define COMMITTING 4
byte lane[WORKERS];
/* The partitions of a take-over under way, a bit each. */
byte taking[WORKERS];

/* The hold of a partition: its epoch, and what has arrived and is in no batch; whether its channel is gone, of which the worker does not know yet. */
bit gone[SLOTS];
byte held[SLOTS];
byte arrivedFrom[SLOTS];
byte arrivedTo[SLOTS];
/* The batch, under the hold that its messages came by, which may be lost meanwhile. */
byte batchFrom[SLOTS];
byte batchTo[SLOTS];
byte batchEpoch[SLOTS];
bit batchLost[SLOTS];
/* The batch that was formed to be carried out after it. */
byte nextFrom[SLOTS];
byte nextTo[SLOTS];
/* A transaction was begun for the next batch, behind the COMMIT of the one before. */
bit ahead[WORKERS];

byte faults = FAULTS;
#ifdef CANCEL_ONLY
byte passed[PARTITIONS];
#endif

/* Not part of a state. */
hidden byte p;
hidden byte i;
hidden byte c;
hidden byte before;
hidden byte ok;
hidden byte each_command_has_one_effect = 1;
hidden byte in_the_order_of_the_queue = 1;
hidden byte no_stale_commit = 1;
hidden byte decided_on_the_newest_state = 1;
hidden byte answered_after_commit = 1;
hidden byte every_promise_ends = 1;
hidden byte nothing_stays_open = 1;

#define BATCH(w) (batchFrom[AT(w, 0)] < batchTo[AT(w, 0)] || batchFrom[AT(w, 1)] < batchTo[AT(w, 1)])
#define HAS(w, p) (batchFrom[AT(w, p)] < batchTo[AT(w, p)])
#define HAS_NEXT(w) (nextFrom[AT(w, 0)] < nextTo[AT(w, 0)] || nextFrom[AT(w, 1)] < nextTo[AT(w, 1)])
#define ARRIVED(w, p) (arrivedFrom[AT(w, p)] < UPTO(w, p))
#define ANY_ARRIVED(w) (ARRIVED(w, 0) || ARRIVED(w, 1))
#define OWNED(w, p) (held[AT(w, p)] > 0 || !ARRIVED(w, p))
#define UNTAKEN(w, p) (HAS(w, p) && batchEpoch[AT(w, p)] == 0 && !batchLost[AT(w, p)])
#define FREE(w, p) (locked[p] == NOBODY || locked[p] == w)
/* Rows that somebody has locked are waited for. */
#define MAY_TAKE(w) ((!(taking[w] & 1) || FREE(w, 0)) && (!(taking[w] & 2) || FREE(w, 1)))
#define ASKS(w, p) (txFrom[AT(w, p)] < txTo[AT(w, p)])
#define MATCHES(w, p) (ASKS(w, p) && txEpoch[AT(w, p)] == NEWEST)
#define SAME(w, p) (txFrom[AT(w, p)] == batchFrom[AT(w, p)] && txTo[AT(w, p)] == batchTo[AT(w, p)] && (!HAS(w, p) || txEpoch[AT(w, p)] == batchEpoch[AT(w, p)]))

#define LEFT_ALONE(p) (consumer[p] == NOBODY && (life[0] == LIVES && !gone[AT(0, p)] || life[1] == LIVES && !gone[AT(1, p)] || life[2] == LIVES && !gone[AT(2, p)]))
#define RESTS(w) (life[w] == LIVES && lane[w] == IDLE)
#ifdef KEEP_AHEAD
#define MAY_FORM(w) RESTS(w)
#else
#define MAY_FORM(w) (RESTS(w) && !ahead[w])
#endif
#define LEFT_OPEN(w) (RESTS(w) && transaction[w] && !broken[w])
#define DECIDES(w) (life[w] == LIVES && lane[w] == STARTED && answer[w] == DONE)
#define LEFT_OUT(w, p) (HAS(w, p) && (batchLost[AT(w, p)] || batchEpoch[AT(w, p)] == 0))
#define WANTS(w) (life[w] == LIVES && lane[w] == START && !LEFT_OUT(w, 0) && !LEFT_OUT(w, 1))
#define NOTICES(w) (life[w] == LIVES && (gone[AT(w, 0)] || gone[AT(w, 1)]))
/* What the broker has sent it, and what it keeps in memory when its channel is gone. */
#define UPTO(w, p) (consumer[p] == w -> length[p] : arrivedTo[AT(w, p)])
/* Nobody sees the difference when a command is sent later, as long as the worker that gets it is busy. */
#define FORMS(p) (consumer[p] < NOBODY && life[consumer[p]] == LIVES && (lane[consumer[p]] == IDLE || lane[consumer[p]] == STARTED && answer[consumer[p]] == DONE))
#define SENDS_AGAIN(c) (api[c] == UNKNOWN && length[PARTITION(c)] < LENGTH && FORMS(PARTITION(c)))

/* ---- Steps of MySQL, each in one piece. */

inline unlock(w) {
	for (p : 0 .. PARTITIONS - 1) {
		if
		:: locked[p] == w -> locked[p] = NOBODY
		:: else
		fi
	}
	transaction[w] = 0;
	known[w] = 0;
	for (p : 0 .. PARTITIONS - 1) { txFrom[AT(w, p)] = 0; txTo[AT(w, p)] = 0; txEpoch[AT(w, p)] = 0 }
	p = 0
}

inline read(w, all) {
	known[w] = all & ((ASKS(w, 0) -> OF(0) : 0) | (ASKS(w, 1) -> OF(1) : 0))
}

/* The fence and, behind it, the reads. A row that does not match is not locked: READ COMMITTED. */
inline beginAndRead(w, result) {
	ok = 1;
	for (p : 0 .. PARTITIONS - 1) {
		if
#ifdef NO_FENCE
		:: 1
#else
		:: MATCHES(w, p) -> locked[p] = w
		:: ASKS(w, p) && !MATCHES(w, p) -> ok = 0
		:: else
#endif
		fi
	}
	p = 0;
	transaction[w] = 1;
#ifdef AHEAD_READS_EARLY
	if
	:: !behindCommit[w] -> read(w, stored)
	:: else
	fi;
#else
	read(w, stored);
#endif
	if
	:: ok -> result = DONE
	:: else -> result = FENCED
	fi
}

/* The rows, the outcomes and COMMIT. An outcome that is there already is a duplicate key: then nothing is stored. */
inline storeAndCommit(w) {
	ok = 1;
	for (p : 0 .. PARTITIONS - 1) {
		i = txFrom[AT(w, p)];
		do
		:: i < txTo[AT(w, p)] ->
			c = queue[MESSAGE(p, i)];
			if
			:: !(known[w] & BIT(c)) && (stored & BIT(c)) -> ok = 0
			:: else
			fi;
			i++
		:: else -> break
		od
	}
#ifdef NO_DEDUPE
	ok = 1;
#endif
	before = stored;
	for (p : 0 .. PARTITIONS - 1) {
		i = txFrom[AT(w, p)];
		if
		:: ok && i < txTo[AT(w, p)] ->
			no_stale_commit = (owner[p] == w);
			assert(no_stale_commit);
			decided_on_the_newest_state = ((known[w] & OF(p)) == (before & OF(p)));
			assert(decided_on_the_newest_state)
		:: else
		fi;
		do
		:: ok && i < txTo[AT(w, p)] ->
			c = queue[MESSAGE(p, i)];
#ifdef NO_DEDUPE
			each_command_has_one_effect = !(stored & BIT(c));
			assert(each_command_has_one_effect);
#endif
			/* The effects of a key come in the order of its queue: what stands before it there is stored. */
			if
			:: stored & BIT(c)
			:: else ->
				stored = stored | BIT(c);
				i = 0;
				do
				:: queue[MESSAGE(p, i)] != c ->
					in_the_order_of_the_queue = ((stored & BIT(queue[MESSAGE(p, i)])) != 0);
					assert(in_the_order_of_the_queue);
					i++
				:: else -> break
				od
			fi;
			i++
		:: else -> break
		od
	}
	c = 0; i = 0
}

/* The connection is gone, and what was not committed on it; its worker learns of it when it waits, or sends. */
inline endConnection(v) {
	unlock(v);
	behindCommit[v] = 0;
	lose(v)
}

inline lose(v) {
	broken[v] = 1;
	if
	:: (lane[v] == STARTED || lane[v] == COMMITTING) && answer[v] == NONE -> answer[v] = FAILED
	:: else
	fi;
	if
	:: ahead[v] -> behind[v] = FAILED
	:: else
	fi
}

/* The connection breaks, and an answer that was on its way is lost with it. */
inline loseAnswer(v) {
	if
	:: lane[v] == COMMITTING && answer[v] == DONE -> ahead[v] = 0; behind[v] = NONE
	:: else
	fi;
	answer[v] = NONE;
	lose(v)
}

/* Workers that had nothing to do yet are alike: the first of them stands for all. */
#define FRESH(v) (!gone[AT(v, 0)] && !gone[AT(v, 1)] && owner[0] != v && owner[1] != v && consumer[0] != v && consumer[1] != v && lane[v] == IDLE && !broken[v] && !transaction[v])
#define MAY_CONSUME(v) (life[v] == LIVES && !(FRESH(v) && (v > 0 && life[0] == LIVES && FRESH(0) || v > 1 && life[1] == LIVES && FRESH(1))))

inline choose(q) {
	if
	:: MAY_CONSUME(0) && !gone[AT(0, q)] -> consumer[q] = 0
	:: MAY_CONSUME(1) && !gone[AT(1, q)] -> consumer[q] = 1
	:: MAY_CONSUME(2) && !gone[AT(2, q)] -> consumer[q] = 2
	fi;
	arrivedTo[AT(consumer[q], q)] = 0;
#ifdef CANCEL_ONLY
	arrivedFrom[AT(consumer[q], q)] = (passed[q] > acked[q] -> passed[q] : acked[q])
#else
	arrivedFrom[AT(consumer[q], q)] = acked[q]
#endif
}

inline send(c) {
	queue[MESSAGE(PARTITION(c), length[PARTITION(c)])] = c;
	length[PARTITION(c)]++;
	sent(c)
}

/* The confirm comes, or it is lost, and then the command is sent again. */
inline sent(c) {
	if
	:: api[c] = PROMISED
	:: lostConfirms > 0 -> lostConfirms--; api[c] = UNKNOWN
	fi
}

/* Whatever happens to one that has nothing and gets nothing makes no difference. */
inline happen(v) {
	if
	/* Killed. */
	:: d_step { closeChannel(v, 0); closeChannel(v, 1); life[v] = DEAD; faults-- }
	/* Frozen, and never goes on. */
	:: d_step { closeChannel(v, 0); closeChannel(v, 1); life[v] = STANDS_STILL; faults-- }
	/* Frozen for longer than the heartbeat, or cut off from the broker, either way. It goes on with what it has until it notices. */
#ifndef NO_LATE_WORKER
	:: d_step { closeChannel(v, 0); closeChannel(v, 1); faults-- }
#endif
	/* The broker closes one channel. */
	:: d_step { consumer[0] == v -> closeChannel(v, 0); faults-- }
	:: d_step { consumer[1] == v -> closeChannel(v, 1); faults-- }
	/* It gives a partition up, with nothing of it under way. */
	:: handOver(v, 0)
	:: handOver(v, 1)
	/* The connection to MySQL breaks, and takes an answer along when there is one. */
	:: d_step { (transaction[v] || behindCommit[v] || answer[v] != NONE) && !broken[v] -> loseAnswer(v); faults-- }
	:: else
	fi
}

inline handOver(v, q) {
#ifdef CANCEL_ONLY
	d_step { consumer[q] == v -> passed[q] = arrivedFrom[AT(v, q)]; arrivedTo[AT(v, q)] = arrivedFrom[AT(v, q)]; consumer[q] = NOBODY; faults-- }
#else
	d_step { consumer[q] == v && !HAS(v, q) && nextFrom[AT(v, q)] == nextTo[AT(v, q)] -> closeChannel(v, q); forget(v, q); faults-- }
#endif
}

inline outdate(v, p) {
	held[AT(v, p)] = (held[AT(v, p)] -> OLDER : 0);
	batchEpoch[AT(v, p)] = (batchEpoch[AT(v, p)] -> OLDER : 0);
	txEpoch[AT(v, p)] = (txEpoch[AT(v, p)] -> OLDER : 0)
}

inline aboutBatch(w) {
	for (p : 0 .. PARTITIONS - 1) {
		txFrom[AT(w, p)] = batchFrom[AT(w, p)];
		txTo[AT(w, p)] = batchTo[AT(w, p)];
		txEpoch[AT(w, p)] = batchEpoch[AT(w, p)]
	}
	p = 0
}

inline aboutNext(w) {
	for (p : 0 .. PARTITIONS - 1) {
		txFrom[AT(w, p)] = nextFrom[AT(w, p)];
		txTo[AT(w, p)] = nextTo[AT(w, p)];
		txEpoch[AT(w, p)] = (nextFrom[AT(w, p)] < nextTo[AT(w, p)] -> held[AT(w, p)] : 0)
	}
	p = 0
}

/* ---- Steps of a worker. */

inline forget(w, p) {
	gone[AT(w, p)] = 0;
	held[AT(w, p)] = 0;
	arrivedFrom[AT(w, p)] = 0;
	arrivedTo[AT(w, p)] = 0;
	nextFrom[AT(w, p)] = 0;
	nextTo[AT(w, p)] = 0;
	if
	:: HAS(w, p) -> batchLost[AT(w, p)] = 1
	:: else
	fi
}

/* The broker closes the channel: what was not acknowledged is put back, and comes to the next consumer in order. The worker keeps what it has in memory. */
inline closeChannel(w, p) {
	if
	:: consumer[p] == w ->
		arrivedTo[AT(w, p)] = length[p];
		consumer[p] = NOBODY
	:: else
	fi;
	gone[AT(w, p)] = 1
}

inline clearBatch(w, p) {
	batchFrom[AT(w, p)] = 0;
	batchTo[AT(w, p)] = 0;
	batchEpoch[AT(w, p)] = 0;
	batchLost[AT(w, p)] = 0
}

inline acknowledge(w) {
	for (p : 0 .. PARTITIONS - 1) {
		if
		:: HAS(w, p) && !batchLost[AT(w, p)] && !gone[AT(w, p)] && acked[p] < batchTo[AT(w, p)] -> acked[p] = batchTo[AT(w, p)]
		:: else
		fi
	}
	p = 0
}

/* What is not the worker's any more goes back to the queue. */
inline releaseForeign(w) {
	for (p : 0 .. PARTITIONS - 1) {
		if
		:: HAS(w, p) && !batchLost[AT(w, p)] && batchEpoch[AT(w, p)] == OLDER ->
			closeChannel(w, p);
			forget(w, p)
		:: else
		fi
	}
	p = 0
}

inline rollback(w) {
	if
	:: !broken[w] -> unlock(w)
	:: else
	fi
}

inline takeNext(w) {
	for (p : 0 .. PARTITIONS - 1) {
		clearBatch(w, p);
		if
		:: nextFrom[AT(w, p)] < nextTo[AT(w, p)] ->
			batchFrom[AT(w, p)] = nextFrom[AT(w, p)];
			batchTo[AT(w, p)] = nextTo[AT(w, p)];
			batchEpoch[AT(w, p)] = held[AT(w, p)]
		:: else
		fi;
		nextFrom[AT(w, p)] = 0;
		nextTo[AT(w, p)] = 0
	}
	p = 0;
	lane[w] = (BATCH(w) -> START : IDLE)
}

/* Takes the first `count` of what has arrived, or all of it. */
inline formBatch(w, p, count) {
	if
	:: ARRIVED(w, p) ->
		batchFrom[AT(w, p)] = arrivedFrom[AT(w, p)];
		batchTo[AT(w, p)] = (arrivedFrom[AT(w, p)] + count < UPTO(w, p) -> arrivedFrom[AT(w, p)] + count : UPTO(w, p));
		batchEpoch[AT(w, p)] = held[AT(w, p)];
		arrivedFrom[AT(w, p)] = batchTo[AT(w, p)]
	:: else
	fi
}

inline formNext(w, p) {
	if
	:: ARRIVED(w, p) ->
		nextFrom[AT(w, p)] = arrivedFrom[AT(w, p)];
		nextTo[AT(w, p)] = UPTO(w, p);
		arrivedFrom[AT(w, p)] = nextTo[AT(w, p)]
	:: else
	fi
}

/* The batch was formed: partitions that are new are taken over first. */
inline startBatch(w) {
#ifdef ACK_EARLY
	acknowledge(w);
#endif
	takeOverNew(w)
}

inline takeOverNew(w) {
	taking[w] = (UNTAKEN(w, 0) -> 1 : 0) | (UNTAKEN(w, 1) -> 2 : 0);
	lane[w] = TAKING;
	if
	:: MAY_TAKE(w) -> takeOver(w)
	:: else
	fi
}

inline takeOver(w) {
	for (p : 0 .. PARTITIONS - 1) {
		if
		:: taking[w] & (1 << p) ->
#ifndef NO_TAKE_OVER
			outdate(0, p); outdate(1, p); outdate(2, p);
#endif
			owner[p] = w;
			batchEpoch[AT(w, p)] = NEWEST;
			if
			:: !batchLost[AT(w, p)] -> held[AT(w, p)] = NEWEST
			:: else
			fi
		:: else
		fi
	}
	p = 0;
	taking[w] = 0;
	lane[w] = START
}

inline commit(w) {
	answer[w] = NONE;
	if
	:: broken[w] -> lane[w] = START
	:: else ->
		lane[w] = COMMITTING;
		storeAndCommit(w);
		if
		:: ok ->
			unlock(w);
			if
			:: HAS_NEXT(w) ->
				aboutNext(w);
#ifdef AHEAD_READS_EARLY
				read(w, before);
#endif
				behindCommit[w] = 1;
				ahead[w] = 1
			:: else
			fi;
			answer[w] = DONE
		:: else -> answer[w] = FAILED
		fi;
		before = 0
	fi
}

proctype Worker(byte w) provided (!LEFT_ALONE(0) && !LEFT_ALONE(1)) {
end:
	do
	/* What has arrived, or a part of it. models: workers/consumer/pump.ts run */
	:: d_step { MAY_FORM(w) && ANY_ARRIVED(w) -> formBatch(w, 0, LENGTH); formBatch(w, 1, LENGTH); startBatch(w) }
	:: d_step { MAY_FORM(w) && ARRIVED(w, 0) && (UPTO(w, 0) - arrivedFrom[AT(w, 0)] > 1 || ARRIVED(w, 1)) -> formBatch(w, 0, 1); startBatch(w) }
	:: d_step { MAY_FORM(w) && ARRIVED(w, 1) && (UPTO(w, 1) - arrivedFrom[AT(w, 1)] > 1 || ARRIVED(w, 0)) -> formBatch(w, 1, 1); startBatch(w) }

#ifndef NO_KILL
	/* models: workers/batch/ownership/fence.ts endOwners */
	:: d_step { life[w] == LIVES && lane[w] == TAKING && taking[w] & 1 && !FREE(w, 0) && owner[0] < NOBODY && !(broken[owner[0]] && !transaction[owner[0]] && !behindCommit[owner[0]]) ->
		endConnection(owner[0]) }
	:: d_step { life[w] == LIVES && lane[w] == TAKING && taking[w] & 2 && !FREE(w, 1) && owner[1] < NOBODY && !(broken[owner[1]] && !transaction[owner[1]] && !behindCommit[owner[1]]) ->
		endConnection(owner[1]) }
#endif

	/* What is not held any more is left out; nothing is left of the batch. models: workers/batch/process-batch.ts carryOut */
	:: d_step { life[w] == LIVES && lane[w] == START && (LEFT_OUT(w, 0) || LEFT_OUT(w, 1)) ->
		for (p : 0 .. PARTITIONS - 1) {
			if
			:: LEFT_OUT(w, p) -> clearBatch(w, p)
			:: else
			fi
		}
		p = 0;
		if
		:: !BATCH(w) -> takeNext(w)
		:: else
		fi }

	/* models: workers/batch/sql/batch-connection.ts connect */
	:: d_step { WANTS(w) && !ahead[w] && broken[w] && !transaction[w] && !behindCommit[w] -> broken[w] = 0 }
#ifndef NO_KILL
	/* models: workers/batch/sql/batch-connection.ts connect */
	:: d_step { WANTS(w) && !ahead[w] && broken[w] && (transaction[w] || behindCommit[w]) -> endConnection(w) }
#endif

	/* models: workers/batch/commit-batch.ts prepare */
	:: d_step { WANTS(w) && !ahead[w] && !broken[w] && (batchEpoch[AT(w, 0)] != NEWEST || FREE(w, 0)) && (batchEpoch[AT(w, 1)] != NEWEST || FREE(w, 1)) ->
		aboutBatch(w);
		beginAndRead(w, answer[w]);
		lane[w] = STARTED }

	/* models: workers/batch/commit-batch.ts takePipelined */
	:: d_step { WANTS(w) && ahead[w] && SAME(w, 0) && SAME(w, 1) && behind[w] != NONE ->
		ahead[w] = 0;
		answer[w] = behind[w];
		behind[w] = NONE;
		lane[w] = STARTED }
	/* models: workers/batch/sql/mysql-transaction.ts begin */
	:: d_step { WANTS(w) && ahead[w] && !(SAME(w, 0) && SAME(w, 1)) && behind[w] != NONE ->
		ahead[w] = 0;
		behind[w] = NONE;
		rollback(w) }

#ifndef KEEP_AHEAD
	/* No batch follows the one before. models: workers/batch/sql/mysql-transaction.ts dropPipelined */
	:: d_step { RESTS(w) && ahead[w] && behind[w] != NONE ->
		ahead[w] = 0;
		behind[w] = NONE;
		rollback(w) }
#endif

	/* models: workers/batch/failures/while-held.ts releaseForeign */
	:: d_step { life[w] == LIVES && lane[w] == STARTED && (answer[w] == FENCED || answer[w] == FAILED) ->
		rollback(w);
		if
		:: answer[w] == FENCED -> releaseForeign(w)
		:: else
		fi;
		answer[w] = NONE;
		lane[w] = START }

	/* models: workers/batch/commit-batch.ts write */
	:: d_step { DECIDES(w) -> commit(w) }
	/* models: workers/consumer/pump.ts upNext */
	:: d_step { DECIDES(w) && !broken[w] && !HAS_NEXT(w) && ANY_ARRIVED(w) && OWNED(w, 0) && OWNED(w, 1) -> formNext(w, 0); formNext(w, 1); commit(w) }

	/* models: workers/batch/sql/mysql-transaction.ts commitAndBegin */
	:: d_step { life[w] == LIVES && lane[w] == COMMITTING && answer[w] == FAILED ->
		rollback(w);
		answer[w] = NONE;
		lane[w] = START }

	/* The caches, the replies, then the acknowledgement. models: workers/batch/process-batch.ts processRun */
	:: d_step { life[w] == LIVES && lane[w] == COMMITTING && answer[w] == DONE ->
		for (p : 0 .. PARTITIONS - 1) {
			i = batchFrom[AT(w, p)];
			do
			:: i < batchTo[AT(w, p)] ->
				answered_after_commit = ((stored & BIT(queue[MESSAGE(p, i)])) != 0);
				assert(answered_after_commit);
				i++
			:: else -> break
			od
		}
		p = 0; i = 0;
		answer[w] = NONE;
		acknowledge(w);
		takeNext(w) }

	/* models: workers/consumer/partition.ts setUp */
	:: d_step { NOTICES(w) ->
		for (p : 0 .. PARTITIONS - 1) {
			if
			:: gone[AT(w, p)] -> forget(w, p)
			:: else
			fi
		}
		p = 0 }
	od
}

/* ---- MySQL. What a worker has sent is carried out also when that worker stands still, or is dead. */
proctype Connection(byte w) provided (!LEFT_ALONE(0) && !LEFT_ALONE(1)) {
end:
	do
	/* models: workers/batch/ownership/fence.ts takeOver */
	:: d_step { lane[w] == TAKING && MAY_TAKE(w) -> takeOver(w) }

	/* models: workers/batch/ownership/fence.ts fenceStatement */
	:: d_step { behindCommit[w] && (!MATCHES(w, 0) || FREE(w, 0)) && (!MATCHES(w, 1) || FREE(w, 1)) ->
		if
		:: broken[w] -> beginAndRead(w, before); before = 0
		:: else -> beginAndRead(w, behind[w])
		fi;
		behindCommit[w] = 0 }

	/* The socket of a dead process is closed, and nothing is left of the process. models: MySQL itself */
	:: d_step { life[w] == DEAD && (transaction[w] || behindCommit[w] || lane[w] != IDLE || !broken[w]) ->
		endConnection(w);
		broken[w] = 1;
		lane[w] = IDLE;
		taking[w] = 0;
		ahead[w] = 0; behind[w] = NONE; answer[w] = NONE;
		for (p : 0 .. PARTITIONS - 1) {
			forget(w, p);
			clearBatch(w, p)
		}
		p = 0 }
	od
}

/* ---- RabbitMQ. */
proctype Broker() {
end:
	do
	/* A single active consumer. What was not acknowledged comes first, in order. models: RabbitMQ itself */
	:: atomic { LEFT_ALONE(0) -> choose(0) }
	:: atomic { LEFT_ALONE(1) -> choose(1) }
	od
}

/* ---- The API: sends a command until it is known to be stored; then it is promised. */
proctype Api() provided (!LEFT_ALONE(0) && !LEFT_ALONE(1)) {
end:
	do
	/* models: api/commands/carry-out.ts publish */
	:: atomic { SENDS_AGAIN(0) -> send(0) }
	:: atomic { SENDS_AGAIN(1) -> send(1) }
	:: atomic { SENDS_AGAIN(2) -> send(2) }
	:: atomic { SENDS_AGAIN(3) -> send(3) }

	/* Nothing can happen any more. models: api/commands/waiters.ts lookUp */
	:: timeout -> d_step {
		c = 0;
		do
		:: c < COMMANDS ->
			every_promise_ends = (api[c] == PROMISED && (stored & BIT(c)));
			assert(every_promise_ends);
			c++
		:: else -> break
		od;
		c = 0;
		nothing_stays_open = (!LEFT_OPEN(0) && !LEFT_OPEN(1) && !LEFT_OPEN(2));
		assert(nothing_stays_open) } break
	od
}

/* ---- What goes wrong, at any moment. */
proctype Faults() provided (!LEFT_ALONE(0) && !LEFT_ALONE(1)) {
end:
	do
	:: atomic { faults > 0 && life[0] == LIVES && !FRESH(0) -> happen(0) }
	:: atomic { faults > 0 && life[1] == LIVES && !FRESH(1) -> happen(1) }
	:: atomic { faults > 0 && life[2] == LIVES && !FRESH(2) -> happen(2) }
	od
}

init {
	atomic {
		consumer[0] = 0;
		if
		:: consumer[1] = 0
		:: consumer[1] = 1
		fi;
		/* What of it has arrived is chosen when a batch is formed. */
		send(0); send(1); send(2); send(3);
		run Worker(0); run Worker(1); run Worker(2);
		run Connection(0); run Connection(1); run Connection(2);
		run Broker(); run Api(); run Faults()
	}
}
