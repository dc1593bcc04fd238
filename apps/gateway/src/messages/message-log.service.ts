import { Injectable } from '@nestjs/common';
import { INVALID_CURSOR, ListInboundMessages, ListMessages, type InboundMessage, type LoggedMessage } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { pageOf, periodOf } from '../requests/page';
import { invalid } from '../requests/refusals';
import { searchedPhone, type MessageLogQuery } from './messages.requests';

/** The start of the next page in one direction: behind a row, at the newest (null), or nowhere (false). */
type Position = string | null | false;
type Row = ({ direction: 'out' } & LoggedMessage) | ({ direction: 'in' } & InboundMessage);

interface Page {
  rows: Row[];
  cursors: string[];
  next_cursor: string | null;
}
const NOTHING: Page = { rows: [], cursors: [], next_cursor: null };

/** The messages of a business in both directions. The status service lists the sent ones, and the send service those of people. */
@Injectable()
export class MessageLog {
  constructor(private readonly rpc: RpcClient) {}

  /** @returns a page, the newest first; filters may make it short or empty */
  async list(business_id: number, query: MessageLogQuery): Promise<{ messages: Row[]; next_cursor: string | null }> {
    const { limit, cursor } = pageOf(query);
    const from = cursor === null ? startOf(query) : readPositions(cursor);
    const [sent, received] = await Promise.all([this.sent(business_id, query, from[0]), this.received(business_id, query, from[1])]);
    const { messages, taken } = newest([sent, received], limit);
    const next = [positionAfter(sent, taken[0], from[0]), positionAfter(received, taken[1], from[1])];
    return { messages, next_cursor: next.every((position) => position === false) ? null : cursorOf(next) };
  }

  private async sent(business_id: number, query: MessageLogQuery, position: Position): Promise<Page> {
    if (position === false) return NOTHING;
    const { status = null, template, api_key_id } = query;
    const { messages, ...page } = await this.rpc.call(ListMessages, {
      business_id,
      limit: pageOf(query).limit,
      cursor: position,
      status,
      phone: searchedPhone(query.phone),
      search: null,
      ...(template !== undefined && { template }),
      ...(api_key_id !== undefined && { api_key_id: Number(api_key_id) }),
      ...periodOf(query),
    });
    return { ...page, rows: messages.map((message) => ({ direction: 'out', ...message })) };
  }

  private async received(business_id: number, query: MessageLogQuery, position: Position): Promise<Page> {
    if (position === false) return NOTHING;
    const { limit } = pageOf(query);
    const request = { business_id, limit, cursor: position, phone: searchedPhone(query.phone), ...periodOf(query) };
    const { messages, ...page } = await this.rpc.call(ListInboundMessages, request);
    return { ...page, rows: messages.map((message) => ({ direction: 'in', ...message })) };
  }
}

/** @throws GatewayError VALIDATION_FAILED if a filter of sent messages is to find others */
function startOf({ direction, ...query }: MessageLogQuery): [Position, Position] {
  const filter = (['status', 'template', 'api_key_id'] as const).find((name) => query[name] !== undefined);
  if (direction === 'in' && filter) throw invalid(filter, 'finds sent messages only: leave out direction=in');
  return [direction === 'in' ? false : null, direction === 'out' || filter ? false : null];
}

/** Merges both pages. It ends where one of them ends and continues, because the next rows of that one are not known. */
function newest([sent, received]: [Page, Page], limit: number): { messages: Row[]; taken: [number, number] } {
  const messages: Row[] = [];
  const taken: [number, number] = [0, 0];
  const isCut = ({ rows, next_cursor }: Page, count: number) => count === rows.length && next_cursor !== null;
  while (messages.length < limit && !isCut(sent, taken[0]) && !isCut(received, taken[1])) {
    const [out, into] = [sent.rows[taken[0]], received.rows[taken[1]]];
    const isOut = out !== undefined && (into === undefined || out.sent_at >= into.sent_at);
    const row = isOut ? out : into;
    if (row === undefined) break;
    messages.push(row);
    taken[isOut ? 0 : 1] += 1;
  }
  return { messages, taken };
}

function positionAfter({ rows, cursors, next_cursor }: Page, taken: number, from: Position): Position {
  if (taken === rows.length) return next_cursor ?? false;
  return taken === 0 ? from : (cursors[taken - 1] ?? false);
}

const cursorOf = (positions: Position[]): string => Buffer.from(JSON.stringify(positions)).toString('base64url');

/** @throws GatewayError VALIDATION_FAILED for a text that `cursorOf` did not make */
function readPositions(cursor: string): [Position, Position] {
  const positions = parsed(cursor);
  if (positions?.length === 2 && positions.every((one) => one === null || one === false || typeof one === 'string'))
    return positions as [Position, Position];
  throw invalid('cursor', INVALID_CURSOR);
}

function parsed(cursor: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
