// The page that npm start and docker compose print when everything is ready: addresses, logins and commands to copy.

/** @param {{ seconds: string, stop: string, kept?: string, more: string }} texts duration of the start, how to stop the stack, what a stop keeps, and where to find more */
export function demoPage(demo, { seconds, stop, kept = 'the data stays for the next start', more }) {
  const [growth] = demo.businesses;
  const key = `-H 'X-API-Key: ${growth.api_key}'`;
  const json = `-H 'Content-Type: application/json'`;
  const post = (path, body) => `curl -s ${demo.base_url}/${path} ${key} ${json} -d '${JSON.stringify(body)}'`;
  return `
✓ Ready after ${seconds} s. ${stop} stops everything; ${kept}.

  API            ${demo.base_url}
  API reference  ${demo.site_url}/docs
  Dashboard      ${demo.dashboard_url}
  Phone          ${demo.simulator_url}   the WhatsApp simulator: write and reply as a customer
  Owner login    ${growth.owner.email}  ${growth.owner.password}
  Operator login ${demo.operator.email}  ${demo.operator.password}
  ${more}

Try (the last two digits of the test number select the outcome: 00 is delivered and read, 26 fails):

  1  list the approved templates
     curl -s ${demo.base_url}/templates ${key}

  2  send one, and follow it with the message_id of the response: sent, delivered, read
     ${post('send-template', { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1007'] })}
     curl -s ${demo.base_url}/message-status/MESSAGE_ID ${key}

  3  send free text before the customer wrote: refused with WINDOW_CLOSED
     ${post('send-text', { phone: '+1 201 555 0100', message: 'Hello' })}

  4  write as the customer (through the simulator), then send the same text
     curl -s ${demo.simulator_url}/__sim/inbound ${json} -d '${JSON.stringify({ phone_number_id: growth.phone_number_id, from: '12015550100', type: 'text', text: 'Hi, is my order on its way?' })}'
     ${post('send-text', { phone: '+1 201 555 0100', message: 'Hello' })}

  5  check that the key is valid and the number connected
     curl -s ${demo.base_url}/health ${key}
`;
}
