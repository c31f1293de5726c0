/* Walks over the page of a run at random and looks after every paint whether all panes speak of the same moment, pod and node, and stay
   where they are. Runs inside of the page: walk({moves, seed}) -> {painted, complaints, kinds}. */
(() => {
  const PANES = ['.scrub', '#selection', '#queues', '#cluster', '#inspector', '.dbg-foot'];
  const PATIENCE = 20_000;
  const only = (list) => [...new Set(list)];

  /* A small generator of numbers from a seed, so that a walk can be repeated. */
  function chance(seed) {
    let state = seed;
    return () => {
      state = (state * 1664525 + 1013904223) % 4294967296;
      return state / 4294967296;
    };
  }

  const data = (selector) => document.querySelector(selector)?.dataset ?? {};

  function differences() {
    const { seq, shown, pod, node, address } = data('#main');
    const found = [];
    const same = (what, values, expected) => {
      const others = only(values).filter((value) => value !== expected);
      if (others.length) found.push(`${what}: ${others.join(' | ')} instead of ${expected}`);
    };
    const title = document.querySelector('.insp-title h2');
    const matrix = document.querySelector('#inspector [data-matrix] input[name="cycle"]');
    same(
      'seq',
      ['#queues', '#inspector', '#selection', '#transport', '#clock', '#event-line', '#map'].map((one) => data(one).seq),
      seq,
    );
    same(
      'shown cycle',
      ['#inspector', '#selection', '#map'].map((one) => data(one).shown),
      shown,
    );
    same(
      'pod',
      ['#queues', '#inspector', '#map'].map((one) => data(one).pod),
      pod,
    );
    same('node', [data('#map').node], node);
    same('chip of the pod', [document.querySelector('[data-chip="pod"] b')?.title ?? ''], pod);
    same('chip of the node', [document.querySelector('[data-chip="node"] b')?.title ?? ''], node);
    if (pod) same('header', [title.textContent.trim()], pod.slice(pod.indexOf('/') + 1));
    if (matrix && data('#main').named === shown) same('matrix', [matrix.value], shown);
    same('address', [location.pathname + location.search], address);
    const line = document.querySelector('#event-line').textContent;
    const number = Number(line.match(/[\d,]+/)?.[0].replaceAll(',', '') ?? 0);
    if (Number(seq) > 0) same('event line', [String(number)], seq);
    return found;
  }

  function boxes() {
    return PANES.map((one) => {
      const { left, top, width, height } = document.querySelector(one).getBoundingClientRect();
      return [left, top, width, height];
    });
  }

  const moved = (old, fresh) =>
    PANES.filter((_, i) => old[i].some((value, k) => Math.abs(value - fresh[i][k]) > 1)).map((one) => `${one} moved`);

  function press(key, more = {}) {
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
    target.dispatchEvent(new KeyboardEvent('keyup', { key, bubbles: true, ...more }));
  }

  const any = (random, list) => list[Math.floor(random() * list.length)];

  function click(random, selector) {
    const link = any(random, [...document.querySelectorAll(selector)]);
    link?.click();
  }

  const MOVES = {
    over: () => press('F10'),
    back: () => press('F10', { shiftKey: true }),
    event: () => press('>'),
    'event back': () => press('<'),
    pod: (random) => click(random, '#queues a.pod:not(.pod-more)'),
    tab: (random) => click(random, '.insp-tabs .tabs a'),
    node: (random) => click(random, '[data-matrix] a.node-link, .node-name[href]'),
    'no selection': (random) => click(random, '#selection a:not(.btn)'),
    point: (random) => click(random, 'a.point'),
    jump: (random) => {
      const track = document.querySelector('#scrubber svg');
      const box = track.getBoundingClientRect();
      const at = { clientX: box.left + random() * box.width, clientY: box.top + 40, bubbles: true, pointerId: 1 };
      track.setPointerCapture = () => {};
      track.releasePointerCapture = () => {};
      track.dispatchEvent(new PointerEvent('pointerdown', at));
      track.dispatchEvent(new PointerEvent('pointerup', at));
    },
    play: async () => {
      document.getElementById('speed').value = '16';
      press(' ');
      await new Promise((done) => setTimeout(done, 400));
      press(' ');
    },
  };

  window.differences = differences;
  window.walk = async ({ moves, seed }) => {
    const random = chance(seed);
    const [complaints, kinds] = [[], {}];
    let painted = 0;
    let kind = '';
    const first = boxes();
    const look = () => {
      painted++;
      for (const one of [...differences(), ...moved(first, boxes())])
        complaints.push(`${painted} after ${kind} at ${location.search}: ${one}`);
    };
    document.addEventListener('cursor:moved', look);
    const quiet = async () => {
      const end = performance.now() + PATIENCE;
      do {
        await new Promise((done) => setTimeout(done, 15));
        if (performance.now() > end) throw new Error(`no rest after ${kind} at ${location.href}`);
      } while (document.documentElement.dataset.moves === 'busy');
    };
    for (let i = 0; i < moves && complaints.length < 20; i++) {
      kind = any(random, Object.keys(MOVES));
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      document.activeElement?.blur();
      await MOVES[kind](random);
      await quiet();
    }
    document.removeEventListener('cursor:moved', look);
    return { painted, complaints, kinds };
  };
})();
