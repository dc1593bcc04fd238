// What npm start and docker compose print when everything is ready: where things are, and lines that work as they stand.

/** @param {{ seconds: string, stop: string, more: string }} how long it took, what stops the stack, and where everything else is */
export function demoPage(demo, { seconds, stop, more }) {
  const [growth] = demo.businesses;
  const key = `-H 'X-API-Key: ${growth.api_key}'`;
  const json = `-H 'Content-Type: application/json'`;
  const post = (path, body) => `curl -s ${demo.base_url}/${path} ${key} ${json} -d '${JSON.stringify(body)}'`;
  return `
✓ Ready after ${seconds} s. ${stop} stops everything; the data stays for the next start.

  API            ${demo.base_url}
  API reference  ${demo.site_url}/docs
  Dashboard      ${demo.dashboard_url}
  Phone          ${demo.simulator_url}   the simulator that stands in for WhatsApp: write and answer as a customer
  Owner login    ${growth.owner.email}  ${growth.owner.password}
  Operator login ${demo.operator.email}  ${demo.operator.password}
  ${more}

Try (the last two digits of the test number choose what happens: 00 is delivered and read, 26 fails):

  1  the approved templates
     curl -s ${demo.base_url}/templates ${key}

  2  send one, and follow it with the message_id of the answer: sent, delivered, read
     ${post('send-template', { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1007'] })}
     curl -s ${demo.base_url}/message-status/MESSAGE_ID ${key}

  3  free text before the customer wrote: refused, WINDOW_CLOSED
     ${post('send-text', { phone: '+1 201 555 0100', message: 'Hello' })}

  4  the customer writes (this is the simulator), then the same text goes out
     curl -s ${demo.simulator_url}/__sim/inbound ${json} -d '${JSON.stringify({ phone_number_id: growth.phone_number_id, from: '12015550100', type: 'text', text: 'Hi, is my order on its way?' })}'
     ${post('send-text', { phone: '+1 201 555 0100', message: 'Hello' })}

  5  is the key good and the number connected
     curl -s ${demo.base_url}/health ${key}
`;
}
