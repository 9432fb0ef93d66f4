// Just enough MQTT 3.1.1 to speak as a tracker does: connect (for good, without pings), publish
// with QoS 1, wait for the acknowledgement.
import { connect } from 'node:net';

const length = (n) => {
  const bytes = [];
  do {
    bytes.push((n % 128) | (n >= 128 ? 128 : 0));
    n = Math.floor(n / 128);
  } while (n > 0);
  return Buffer.from(bytes);
};
const text = (value) => Buffer.concat([Buffer.from([value.length >> 8, value.length & 255]), Buffer.from(value)]);
const packet = (type, body) => Buffer.concat([Buffer.from([type]), length(body.length), body]);

export async function tracker(port, name = `tracker-${process.pid}-${Math.floor(Math.random() * 1e6)}`) {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const waiting = new Map();
  let rest = Buffer.alloc(0);
  let greeted;
  const isGreeted = new Promise((resolve) => {
    greeted = resolve;
  });
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 2 && rest.length >= 2 + rest[1]) {
      const [kind, size] = [rest[0] >> 4, rest[1]];
      if (kind === 2) greeted();
      if (kind === 4) waiting.get(rest.readUInt16BE(2))?.();
      rest = rest.subarray(2 + size);
    }
  });
  // With the broker gone nothing is waited for.
  let isGone = false;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isGone = true;
    for (const done of waiting.values()) done();
  });
  socket.write(packet(0x10, Buffer.concat([text('MQTT'), Buffer.from([4, 2, 0, 0]), text(name)])));
  await isGreeted;
  let id = 0;
  return {
    /** Resolves when the broker has taken it; refuses once the line is closed. */
    publish(topic, payload) {
      if (isGone) return Promise.reject(new Error('the broker has closed the line of this tracker'));
      id = (id % 65_000) + 1;
      const mine = id;
      const done = new Promise((resolve) => waiting.set(mine, resolve));
      socket.write(
        packet(
          0x32,
          Buffer.concat([
            text(topic),
            Buffer.from([mine >> 8, mine & 255]),
            Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
          ]),
        ),
      );
      return done;
    },
    end: () => socket.end(),
  };
}
