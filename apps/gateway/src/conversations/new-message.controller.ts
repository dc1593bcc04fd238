import { Body, Controller, Post } from '@nestjs/common';
import { SendTemplate, SendText } from '@mgw/contracts';
import { recipientOf } from '../requests/recipient';
import { invalid } from '../requests/refusals';
import { Responds } from '../responses/responds';
import { SendResult } from '../sending/sending.responses';
import { templateOf } from '../sending/template-content';
import { HasOwnShare } from '../sessions/request-shares';
import { NeedsSession } from '../sessions/roles.guard';
import { AgentSends, CurrentAgent, type Agent } from './agent-sends.service';
import { AGENT_SENDS } from './conversations.controller';
import { NewMessageRequest } from './conversations.requests';

/** Messages of agents to people who may have no conversation yet. */
@Controller('api/client/messages')
@NeedsSession()
export class NewMessageController {
  constructor(private readonly sends: AgentSends) {}

  @Post()
  @HasOwnShare()
  @Responds(SendResult, 'Send a template to any person, or a text within the 24-hour window', AGENT_SENDS)
  async send(@CurrentAgent() agent: Agent, @Body() { phone, text, template_name, ...values }: NewMessageRequest) {
    const to = recipientOf(phone);
    if (text && template_name) throw invalid('text', 'must be left out with template_name');
    if (text) {
      const [unused] = Object.entries(values).find(([, value]) => value !== undefined && value !== null) ?? [];
      if (unused !== undefined) throw invalid(unused, 'must be left out with text');
      return this.sends.send(SendText, { text }, to, null, agent);
    }
    if (!template_name) throw invalid('template_name', 'must be given, or text');
    return this.sends.send(SendTemplate, templateOf({ ...values, template_name }), to, null, agent);
  }
}
