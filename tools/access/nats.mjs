// The users of NATS and what each may publish and subscribe to, as the server's configuration.
import { SERVICES, STREAMS } from './services.mjs';

const streamOf = (subject) => subject.split('.')[0].toUpperCase();
const API = '$JS.API';

/** The variable from which the server takes a service's password. */
export const passwordVariable = (app) => `NATS_PASSWORD_${app.toUpperCase().replaceAll('-', '_')}`;

/** Requests to the streams; whoever comes first makes a stream that is missing, and a stream that is there stays as it is. */
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
    ]),
    ...Object.entries(consumes).flatMap(([durable, subject]) => {
      const consumer = `${streamOf(subject)}.${durable}`;
      // With its filter in the subject: a consumer of one type cannot be made one of all.
      const filter = subject.endsWith('>') ? '' : `.${subject}`;
      return [
        ...[`${API}.CONSUMER.CREATE.${consumer}${filter}`, `${API}.CONSUMER.INFO.${consumer}`, `${API}.CONSUMER.MSG.NEXT.${consumer}`],
        // A heartbeat and the acknowledgement use the same subject, possibly on a later connection. Newer servers put domain and account first.
        ...[`$JS.ACK.${consumer}.>`, `$JS.ACK.*.*.${consumer}.>`],
      ];
    }),
    // Consumers without a name, which live as long as somebody watches; their flow control is answered.
    ...tails.flatMap((stream) => [`${API}.CONSUMER.CREATE.${stream}`, `$JS.FC.${stream}.>`]),
  ];
}

/** @returns {{publish: string[], subscribe: string[], responds: boolean}} `responds`: other services call it, and it may publish one response per request */
export function natsPermissions(app) {
  const service = SERVICES[app];
  const called = Object.entries(service.calls).flatMap(([other, verbs]) => verbs.map((verb) => `rpc.${other}.${verb}`));
  const isCalled = Object.values(SERVICES).some(({ calls }) => calls[app] !== undefined);
  return {
    publish: [...called, ...service.announces.map((name) => `announce.${name}`), ...service.publishes, ...streamRequests(service)],
    // Answers come to an inbox of its own: nobody reads another's.
    subscribe: [`_INBOX.${app}.>`, ...(isCalled ? [`rpc.${app}.*`] : []), ...service.listens.map((name) => `announce.${name}`)],
    responds: isCalled,
  };
}

/** The part of the configuration that names the users; passwords come from the server's environment. */
export function natsUsers() {
  const list = (subjects) => subjects.map((subject) => `\n          ${JSON.stringify(subject)}`).join('');
  const users = Object.keys(SERVICES).map((app) => {
    const { publish, subscribe, responds } = natsPermissions(app);
    return `    {
      user: ${JSON.stringify(app)}
      password: $${passwordVariable(app)}
      permissions {
        publish { allow: [${list(publish)}
        ] }
        subscribe { allow: [${list(subscribe)}
        ] }${responds ? '\n        allow_responses { max: 1, expires: "1m" }' : ''}
      }
    }`;
  });
  return `# Made from tools/access/services.mjs by "node tools/access/generate.mjs --write".
# Everybody has a name and a password: nobody connects without.
authorization {
  users = [
${users.join('\n')}
  ]
}
`;
}
