// Generates the NATS configuration of the users and their rights to publish and subscribe.
import { SERVICES, STREAMS } from './services.mjs';

const streamOf = (subject) => subject.split('.')[0].toUpperCase();
const API = '$JS.API';

/** The server's variable with a service's password. */
export const passwordVariable = (app) => `NATS_PASSWORD_${app.toUpperCase().replaceAll('-', '_')}`;

/** Requests to streams. The first service creates a missing stream; nobody changes an existing one. */
function streamRequests({ publishes, consumes, tails }) {
  if (publishes.length + Object.keys(consumes).length + tails.length === 0) return [];
  const published = [...new Set(publishes.map(streamOf))];
  return [
    `${API}.INFO`,
    ...STREAMS.flatMap((stream) => [`${API}.STREAM.INFO.${stream}`, `${API}.STREAM.CREATE.${stream}`]),
    // Publishers delete from a full stream what every consumer has handled; the next message that a consumer wants bounds it.
    ...published.flatMap((stream) => [
      `${API}.CONSUMER.LIST.${stream}`,
      `${API}.STREAM.MSG.GET.${stream}`,
      `${API}.STREAM.PURGE.${stream}`,
      // An erasure deletes a person's events.
      `${API}.STREAM.MSG.DELETE.${stream}`,
    ]),
    ...Object.entries(consumes).flatMap(([durable, subject]) => {
      const consumer = `${streamOf(subject)}.${durable}`;
      // The subject contains the filter, so that the service cannot widen its consumer.
      const filter = subject.endsWith('>') ? '' : `.${subject}`;
      return [
        ...[`${API}.CONSUMER.CREATE.${consumer}${filter}`, `${API}.CONSUMER.INFO.${consumer}`, `${API}.CONSUMER.MSG.NEXT.${consumer}`],
        // A heartbeat and the acknowledgement use the same subject, possibly on a later connection. Newer servers put domain and account first.
        ...[`$JS.ACK.${consumer}.>`, `$JS.ACK.*.*.${consumer}.>`],
      ];
    }),
    // Ephemeral consumers live as long as a browser watches; the service responds to their flow control.
    ...tails.flatMap((stream) => [`${API}.CONSUMER.CREATE.${stream}`, `$JS.FC.${stream}.>`]),
  ];
}

/** @returns {{publish: string[], subscribe: string[]}} */
function natsPermissions(app) {
  const service = SERVICES[app];
  const called = Object.entries(service.calls).flatMap(([other, verbs]) => verbs.map((verb) => `rpc.${other}.${verb}`));
  const callers = Object.keys(SERVICES).filter((caller) => SERVICES[caller].calls[app] !== undefined);
  return {
    publish: [
      ...called,
      // A response's subject names caller, inbox, service and request, so that no service responds for another.
      ...callers.map((caller) => `_INBOX.${caller}.*.${app}.*`),
      ...service.announces.map((name) => `announce.${name}`),
      ...service.publishes,
      ...streamRequests(service),
    ],
    // Each service has its own inbox, so that none reads another's responses.
    subscribe: [`_INBOX.${app}.>`, ...(callers.length > 0 ? [`rpc.${app}.*`] : []), ...service.listens.map((name) => `announce.${name}`)],
  };
}

/** The users' part of the configuration; passwords come from the server's environment. */
export function natsUsers() {
  const list = (subjects) => subjects.map((subject) => `\n          ${JSON.stringify(subject)}`).join('');
  const users = Object.keys(SERVICES).map((app) => {
    const { publish, subscribe } = natsPermissions(app);
    return `    {
      user: ${JSON.stringify(app)}
      password: $${passwordVariable(app)}
      permissions {
        publish { allow: [${list(publish)}
        ] }
        subscribe { allow: [${list(subscribe)}
        ] }
      }
    }`;
  });
  return `# Generated from tools/access/services.mjs by "node tools/access/generate.mjs --write".
# Every client authenticates with a name and a password.
authorization {
  users = [
${users.join('\n')}
  ]
}
`;
}
