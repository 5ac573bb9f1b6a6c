'use strict';
// A message arrives every second, with counts since the start; rates are differences of two.
const KEPT = 180;
const samples = [];
const at = id => document.getElementById(id);
const say = (id, text) => { at(id).textContent = text; };
const number = value => value === null || value === undefined ? '–'
  : value >= 1e6 ? (value / 1e6).toFixed(1) + ' M' : value >= 1e4 ? (value / 1e3).toFixed(1) + ' k'
  : String(Math.round(value));

const short = text => text.length > 200 ? text.slice(0, 200) + ' …' : text;

function rows(id, list, cells) {
  const body = at(id);
  body.replaceChildren(...list.map(item => {
    const row = document.createElement('tr');
    cells(item).forEach(cell => {
      const data = document.createElement('td');
      const counts = typeof cell === 'number' || cell === null;
      data.textContent = counts ? number(cell) : cell;
      if (counts) data.className = 'n';
      row.append(data);
    });
    return row;
  }));
}

function plot(id, lines, unit = '/s', height = value => value) {
  const svg = at(id);
  const most = Math.max(1, ...lines.flatMap(line => line.values));
  const shapes = lines.map(line => {
    const shape = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    shape.setAttribute('class', line.colour);
    shape.setAttribute('points', line.values
      .map((value, i) => (600 - (line.values.length - 1 - i) * 600 / (KEPT - 1)).toFixed(1) + ','
        + (156 - height(value) / height(most) * 140).toFixed(1)).join(' '));
    return shape;
  });
  const scale = document.createElementNS('http://www.w3.org/2000/svg', 'text');
  scale.setAttribute('x', '4');
  scale.setAttribute('y', '12');
  scale.textContent = number(most) + unit;
  svg.replaceChildren(...shapes, scale);
}

function show(now) {
  const before = samples[samples.length - 1];
  if (before && now.millis > before.now.millis && now.totals.queries >= before.now.totals.queries) {
    const seconds = (now.millis - before.now.millis) / 1000;
    const rate = name => (now.totals[name] - before.now.totals[name]) / seconds;
    const micros = name => {
      const [from, to] = [before.now.times[name], now.times[name]];
      return to.count > from.count ? (to.nanos - from.nanos) / 1000 / (to.count - from.count) : 0;
    };
    samples.push({ now, queries: rate('queries'), hits: rate('hits'), loads: rate('loads'),
      misses: rate('misses'), forwards: rate('forwards'), hitTime: micros('hits'), storeTime: micros('store') });
  } else {
    samples.length = 0;
    samples.push({ now, queries: 0, hits: 0, loads: 0, misses: 0, forwards: 0, hitTime: 0, storeTime: 0 });
  }
  if (samples.length > KEPT) samples.shift();
  const last = samples[samples.length - 1];
  const of = name => samples.map(sample => sample[name]);
  say('hit-rate', now.totals.queries ? (100 * now.totals.hits / now.totals.queries).toFixed(1) + ' %' : '–');
  say('reads', number(last.queries));
  say('p99', now.hitP99 === null ? '–' : now.hitP99 + ' µs');
  say('lines', number(now.totals.line_count));
  say('sessions', number(now.sessions));
  say('signal', now.signal.live ? 'heard, ' + now.signal.lag_ms + ' ms' : 'none');
  plot('plot-reads', [{ colour: 'a', values: of('hits') }, { colour: 'b', values: of('loads') },
    { colour: 'c', values: of('misses') }]);
  plot('plot-forwards', [{ colour: 'c', values: of('forwards') }]);
  plot('plot-times', [{ colour: 'a', values: of('hitTime') }, { colour: 'c', values: of('storeTime') }],
    ' µs', Math.log1p);
  rows('reasons', now.reasons, r => [r.kind, r.reason, r.count, r.sentence]);
  at('statements-hidden').hidden = now.statements !== null;
  rows('statements', now.statements || [], s => [short(s.text), s.count, s.hits, s.loads, s.forwards, s.p99_us,
    s.reasons.split(' ').join(', ')]);
  rows('tables', now.tables,
    t => [t.schema_name + '.' + t.table_name, t.queries, t.hits, t.loads, t.misses, t.line_count, t.line_bytes]);
  at('others').hidden = now.members.length === 0;
  rows('members', now.members, m => [m.member, m.silent_ms, m.freshness_lag_ms, m.linked ? 'linked' : 'not linked']);
}

const events = new EventSource('events');
events.onmessage = message => { say('state', 'live'); show(JSON.parse(message.data)); };
events.onerror = () => say('state', 'not connected; trying again');
