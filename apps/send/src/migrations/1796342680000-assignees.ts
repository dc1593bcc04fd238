import { migration } from '@mgw/postgres';

/**
 * The conversations of somebody who leaves the team, also closed ones. Only their removal writes the expression, so that the view of one
 * agent's conversations keeps the index that has its order (decision 684).
 */
const INDEX = `
CREATE INDEX conversations_assignee ON send.conversations ((-assigned_to), id) WHERE assigned_to IS NOT NULL;
`;

export const Assignees1796342680000 = migration('Assignees1796342680000', INDEX);
