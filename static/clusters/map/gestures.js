/* What a drag on the editor's map does: a frame round nodes selects them, a pod goes to another node or back to those
   without one, selected nodes to another zone. Told on the document: map:pick ({nodes, isMore}), map:bind ({pod, node}),
   map:unbind ({pod}), map:zone ({zone}), and map:dragging ({pod}) when the drag of a pod begins or, with null, is over. */
import { on } from '../../common/on.js';
import { dropWords, FIT } from './data.js';

const POD = 'application/x-schedscope-pod';
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

let ghost = null;
// The pod that is dragged, and of how many one is bound where it stands for a group.
let carried = null;

function carry(pod, of = 1) {
  if (carried?.pod === pod) return;
  carried = { pod, of };
  tell('map:dragging', { pod });
}

function letGo() {
  if (!carried) return;
  carried = null;
  tell('map:dragging', null);
}

/** Return whether the page of this map has a selection and may change something. */
export const isEditor = () => !!document.getElementById('hand');
const mayEdit = () => !!document.getElementById('hand-bind');

function zoneAt(data, place) {
  if (place < 0 || !data.groupOf.zone) return '';
  return data.groups.zone.values[data.groupOf.zone[place]];
}

/** Return what a drag from here does: "band", "pod", "nodes", or "pan" for the map itself. */
export function gestureAt(stage, ev) {
  if (!isEditor()) return { sort: 'pan' };
  const point = stage.pointOf(ev);
  const { place, tile } = stage.at(point);
  if (!ev.shiftKey && tile >= 0 && mayEdit()) return { sort: 'pod', tile, from: point };
  if (!ev.shiftKey && place >= 0 && stage.picked.includes(place) && mayEdit()) return { sort: 'nodes', from: point };
  if (ev.shiftKey || !stage.root.classList.contains('is-movable')) return { sort: 'band', from: point };
  return { sort: 'pan' };
}

function say(text, { clientX, clientY }, verdict = '', state = FIT.unknown) {
  ghost ??= document.body.appendChild(Object.assign(document.createElement('div'), { className: 'hand-ghost' }));
  const why = Object.assign(document.createElement('span'), { textContent: verdict, hidden: !verdict });
  ghost.dataset.fit = ['', 'fits', 'refused'][state];
  ghost.replaceChildren(text, why);
  // Beside the pointer, on the side where there is room.
  const { offsetWidth: wide, offsetHeight: high } = ghost;
  const x = clientX + 14 + wide < innerWidth ? clientX + 14 : clientX - 14 - wide;
  const y = clientY + 14 + high < innerHeight ? clientY + 14 : clientY - 14 - high;
  ghost.style.transform = `translate(${Math.max(0, x)}px, ${Math.max(0, y)}px)`;
}

// Where the dragged pod was last: what is said there follows an answer that comes while the pointer rests.
let at = null;

/* What a drop of the dragged pod on a node would do, with what the engine says of it. */
function sayDrop(stage, place, ev) {
  at = { stage, place, ev: { clientX: ev.clientX, clientY: ev.clientY } };
  const { data, fit } = stage;
  const to = place >= 0 ? data.nodes[place] : pendingAt(ev) ? 'pending' : 'a node';
  const { text, verdict, state } = dropWords(carried, to, fit, place);
  say(text, ev, verdict, state);
}

/** Take a gesture back, or end it. */
export function ended(stage) {
  ghost?.remove();
  document.querySelector('[data-pending].is-over')?.classList.remove('is-over');
  ghost = at = null;
  letGo();
  stage.band = null;
  stage.hover(null);
  stage.drawMarks();
}

/** Show what the gesture would do if it ended here. */
export function follow(stage, gesture, ev) {
  const point = stage.pointOf(ev);
  if (gesture.sort === 'band') {
    const { from } = gesture;
    stage.band = {
      x: Math.min(from.x, point.x),
      y: Math.min(from.y, point.y),
      w: Math.abs(point.x - from.x),
      h: Math.abs(point.y - from.y),
    };
    stage.drawMarks();
    return;
  }
  const { place } = stage.hover(point);
  const { data } = stage;
  if (gesture.sort === 'pod') {
    // The names of pods may still be on their way.
    if (stage.names) {
      carry(stage.names[gesture.tile]);
      sayDrop(stage, place, ev);
    }
  } else say(`${stage.picked.length} to ${zoneAt(data, place) || 'a zone'}`, ev);
}

/* Where pods without a node stand: one that is dropped there leaves its node. */
function pendingAt({ clientX, clientY }) {
  const place = document.elementFromPoint(clientX, clientY)?.closest('[data-pending]') ?? null;
  document.querySelector('[data-pending].is-over')?.classList.remove('is-over');
  place?.classList.add('is-over');
  return place;
}

/** Do what the gesture does, where it ends on something. */
export async function finish(stage, gesture, ev, names) {
  const { place } = stage.at(stage.pointOf(ev));
  const { data, band } = stage;
  const isPending = gesture.sort === 'pod' && place < 0 && !!pendingAt(ev);
  ended(stage);
  if (gesture.sort === 'band' && band) {
    tell('map:pick', { nodes: stage.within(band).map((one) => data.nodes[one]), isMore: ev.ctrlKey || ev.metaKey });
  } else if (gesture.sort === 'pod' && place >= 0) {
    const pod = (await names())[gesture.tile];
    if (data.firsts[place] > gesture.tile || data.firsts[place + 1] <= gesture.tile) {
      tell('map:bind', { pod, node: data.nodes[place] });
    }
  } else if (isPending) tell('map:unbind', { pod: (await names())[gesture.tile] });
  else if (gesture.sort === 'nodes' && zoneAt(data, place)) tell('map:zone', { zone: zoneAt(data, place) });
}

/** Take pods, or one of a group, that are dragged from the tree or from those without a node. */
export function listenForDrops(root, stageNow) {
  on('dragstart', '[data-map-pod], [data-drag-pod]', ({ dataset: { mapPod, dragPod, dragOf } }, ev) => {
    const pod = mapPod || dragPod;
    if (!pod || !mayEdit()) return;
    ev.dataTransfer.setData(POD, pod);
    ev.dataTransfer.setDragImage(document.createElement('span'), 0, 0);
    carry(pod, Number(dragOf ?? 1));
  });
  document.addEventListener('fit:dragged', () => at && sayDrop(at.stage, at.place, at.ev));
  document.addEventListener('dragend', () => stageNow() && ended(stageNow()));
  const nodeAt = (ev) => {
    const link = ev.target.closest?.('#wb-tree [data-map-node]');
    if (link) return link.dataset.mapNode;
    const stage = root.contains(ev.target) ? stageNow() : null;
    const place = stage ? stage.hover(stage.pointOf(ev)).place : -1;
    return place < 0 ? '' : stage.data.nodes[place];
  };
  document.addEventListener('dragover', (ev) => {
    if (!ev.dataTransfer.types.includes(POD)) return;
    const node = nodeAt(ev);
    const stage = stageNow();
    if (stage && carried) sayDrop(stage, stage.data.placeOf.get(node) ?? -1, ev);
    if (node || pendingAt(ev)) ev.preventDefault();
  });
  document.addEventListener('drop', (ev) => {
    if (!ev.dataTransfer.types.includes(POD)) return;
    const node = nodeAt(ev);
    if (!node && !pendingAt(ev)) return;
    ev.preventDefault();
    const pod = ev.dataTransfer.getData(POD);
    if (stageNow()) ended(stageNow());
    if (node) tell('map:bind', { pod, node });
    else tell('map:unbind', { pod });
  });
}
