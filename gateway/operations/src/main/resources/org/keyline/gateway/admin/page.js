'use strict';
// A message arrives every second, with counts since the start; rates are differences of two.
const KEPT = 180;
const GOOD_RATE = 80;
const GOOD_MICROS = 1000;
const LEFT = 54;
const BOTTOM = 22;
const TOP = 8;
const samples = [];
const at = id => document.getElementById(id);
const number = value => value === null || value === undefined ? '–'
  : value >= 1e6 ? +(value / 1e6).toPrecision(3) + ' M' : value >= 1e4 ? +(value / 1e3).toPrecision(3) + ' k'
  : String(Math.round(value));
const time = micros => micros >= 1e6 ? +(micros / 1e6).toPrecision(3) + ' s'
  : micros >= 1e3 ? +(micros / 1e3).toPrecision(3) + ' ms' : Math.round(micros) + ' µs';
const short = text => text.length > 200 ? text.slice(0, 200) + ' …' : text;

function element(name, text, place = '') {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = place;
  return made;
}

// A figure with its name, value and meaning; `good` is undefined where nothing is good or bad.
function figure(id, value, good, meaning) {
  const [shown, explained] = at(id).querySelectorAll('dd');
  shown.textContent = value;
  if (meaning) explained.textContent = meaning;
  at(id).className = good === undefined ? '' : good ? 'good' : 'low';
}

function rows(id, list, cells) {
  const body = at(id);
  const names = [...body.parentNode.tHead.rows[0].cells].map(cell => cell.textContent);
  body.replaceChildren(...list.map(item => {
    const row = document.createElement('tr');
    cells(item).forEach((cell, i) => {
      const counts = typeof cell === 'number' || cell === null;
      const data = element('td', counts ? number(cell) : cell, counts ? 'n' : '');
      data.dataset.name = names[i];
      row.append(data);
    });
    return row;
  }));
}

function shape(name, attributes, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.textContent = text;
  return made;
}

// The lowest of 1, 2 and 5 times a power of ten that is not below the value.
function round(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(times => times * power).find(candidate => candidate >= value);
}

// `marks` are the values with a line across the plot, `height` is a value's share of the plot's height.
function plot(id, lines, marks, height, name) {
  const svg = at(id);
  const width = svg.clientWidth;
  const floor = svg.clientHeight - BOTTOM;
  const y = value => (floor - Math.min(1, height(value)) * (floor - TOP)).toFixed(1);
  const x = age => (width - 2 - age * (width - LEFT - 2) / (KEPT - 1)).toFixed(1);
  svg.setAttribute('viewBox', `0 0 ${width} ${svg.clientHeight}`);
  svg.replaceChildren(
    ...marks.flatMap(mark => [
      shape('line', { x1: LEFT, x2: width, y1: y(mark), y2: y(mark) }),
      shape('text', { x: LEFT - 6, y: +y(mark) + 4, 'text-anchor': 'end' }, name(mark))]),
    shape('text', { x: LEFT, y: floor + 18 }, '3 min ago'),
    shape('text', { x: width - 2, y: floor + 18, 'text-anchor': 'end' }, 'now'),
    ...lines.map(line => shape('polyline', { class: line.colour, points: line.values
      .flatMap((value, i) => value === null ? [] : [x(line.values.length - 1 - i) + ',' + y(value)]).join(' ') })));
}

function rates(id, lines) {
  const most = round(Math.max(1, ...lines.flatMap(line => line.values)));
  plot(id, lines, [0, most / 2, most], value => value / most, value => value < 1 && value > 0 ? String(value) : number(value));
}

function times(id, lines) {
  const values = lines.flatMap(line => line.values).filter(value => value !== null);
  const low = Math.floor(Math.log10(Math.max(1, Math.min(...values, 10))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values, 100))));
  const marks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  plot(id, lines, marks, value => Math.max(0, Math.log10(value) - low) / (high - low), time);
}

function verdict(rate) {
  if (rate === null) {
    return ['', 'No client has read by a key yet. Connect an application, and watch the plots.'];
  }
  const share = rate.toFixed(1) + ' % of the reads by key come from memory. ';
  return rate >= GOOD_RATE ? ['good', share + 'This is good.']
    : ['low', share + 'The list of reasons below says why the others do not, and what to do.'];
}

function show(now) {
  const before = samples[samples.length - 1];
  if (before && now.millis > before.now.millis && now.totals.queries >= before.now.totals.queries) {
    const seconds = (now.millis - before.now.millis) / 1000;
    const rate = name => (now.totals[name] - before.now.totals[name]) / seconds;
    const micros = name => {
      const [from, to] = [before.now.times[name], now.times[name]];
      return to.count > from.count ? (to.nanos - from.nanos) / 1000 / (to.count - from.count) : null;
    };
    samples.push({ now, queries: rate('queries'), hits: rate('hits'), loads: rate('loads'),
      misses: rate('misses'), forwards: rate('forwards'), hitTime: micros('hits'), storeTime: micros('store') });
  } else {
    samples.length = 0;
    samples.push({ now, queries: 0, hits: 0, loads: 0, misses: 0, forwards: 0, hitTime: null, storeTime: null });
  }
  if (samples.length > KEPT) samples.shift();
  const last = samples[samples.length - 1];
  const of = name => samples.map(sample => sample[name]);
  const first = samples[0].now.totals;
  const asked = now.totals.queries - first.queries;
  const rate = asked ? 100 * (now.totals.hits - first.hits) / asked
    : now.totals.queries ? 100 * now.totals.hits / now.totals.queries : null;
  [at('verdict').className, at('verdict').textContent] = verdict(rate);
  at('verdict').classList.add('verdict');
  figure('hit-rate', rate === null ? '–' : rate.toFixed(1) + ' %', rate === null ? undefined : rate >= GOOD_RATE);
  figure('reads', number(last.queries));
  figure('p99', now.hitP99 === null ? '–' : time(now.hitP99), now.hitP99 === null ? undefined : now.hitP99 < GOOD_MICROS);
  figure('lines', number(now.totals.line_count));
  figure('sessions', number(now.sessions));
  if (now.signal.live) {
    figure('signal', number(now.signal.lag_ms) + ' ms', true, 'Writes of other programs are seen after this time.');
  } else {
    figure('signal', 'none', undefined, 'Writes of other programs are seen when a line expires.');
  }
  rates('plot-reads', [{ colour: 'a', values: of('hits') }, { colour: 'b', values: of('loads') },
    { colour: 'c', values: of('misses') }]);
  rates('plot-forwards', [{ colour: 'c', values: of('forwards') }]);
  times('plot-times', [{ colour: 'a', values: of('hitTime') }, { colour: 'c', values: of('storeTime') }]);
  at('reasons').replaceChildren(...now.reasons.map(reason => {
    const item = document.createElement('li');
    const said = element('div', reason.sentence + ' ');
    said.append(element('small', reason.reason));
    item.append(element('b', number(reason.count)), said, element('span', reason.advice));
    return item;
  }));
  at('statements-hidden').hidden = now.statements !== null;
  rows('statements', now.statements || [], s => [short(s.text), s.count, s.hits, s.loads, s.forwards, s.p99_us,
    s.reasons.split(' ').join(', ')]);
  rows('tables', now.tables,
    t => [t.schema_name + '.' + t.table_name, t.queries, t.hits, t.loads, t.misses, t.line_count, t.line_bytes]);
  at('others').hidden = now.members.length === 0;
  rows('members', now.members, m => [m.member, m.silent_ms, m.freshness_lag_ms, m.linked ? 'linked' : 'not linked']);
}

const events = new EventSource('events');
events.onmessage = message => { at('state').textContent = 'live'; show(JSON.parse(message.data)); };
events.onerror = () => { at('state').textContent = 'not connected; trying again'; };
