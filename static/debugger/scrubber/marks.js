/* Marks below the bars: what is nearer than one can tell apart becomes one mark with a count. */

const RANK = ['preemption', 'error', 'failure'];

/** Return the troubles of stretches: {cycle, preemptions, failures, errors, kind}, kinds by rank. */
export function troubles(stretches) {
  return stretches
    .filter((one) => one.preemptions || one.unschedulable || one.errors)
    .map(({ preemption, failure, error, preemptions, unschedulable, errors }) => ({
      cycle: preemption ?? error ?? failure,
      kind: preemptions ? 'preemption' : errors ? 'error' : 'failure',
      preemptions,
      failures: unschedulable,
      errors,
    }));
}

/** Return marks at {x, ...} so that neighbours are `apart` from each other: those in between are added to the one before them, which takes
    the kind of higher rank and its cycle. */
export function merged(marks, apart) {
  const found = [];
  for (const mark of [...marks].sort((one, other) => one.x - other.x)) {
    const last = found.at(-1);
    if (!last || mark.x - last.x >= apart) {
      found.push({ ...mark, first: mark.cycle, until: mark.cycle });
      continue;
    }
    for (const name of ['preemptions', 'failures', 'errors', 'threads', 'open', 'hits'])
      if (name in mark) last[name] += mark[name];
    last.until = mark.cycle;
    if (RANK.indexOf(mark.kind) < RANK.indexOf(last.kind)) Object.assign(last, { kind: mark.kind, cycle: mark.cycle });
  }
  return found;
}

const counted = (count, one) => (count ? [`${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`] : []);

/** Return what a mark stands for: "3 preemptions, 12 failures between cycles 5,001 and 5,040". */
export function told(mark) {
  // A preemption follows a failure, which is listed once.
  const failures = (mark.failures ?? 0) - (mark.preemptions ?? 0);
  const parts = [
    ...counted(mark.preemptions, 'preemption'),
    ...counted(Math.max(failures, 0), 'failure'),
    ...counted(mark.errors, 'error'),
    ...counted(mark.threads, 'thread'),
    ...counted(mark.hits, 'hit'),
  ];
  const number = (value) => value.toLocaleString('en');
  const place =
    mark.first === mark.until
      ? `in cycle ${number(mark.cycle)}`
      : `between cycles ${number(mark.first)} and ${number(mark.until)}`;
  return `${parts.join(', ')} ${place}`;
}
