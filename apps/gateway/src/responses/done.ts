import { Type } from '@sinclair/typebox';
import { Id } from '@mgw/contracts';

/** The response of a change (spec §4.9). */
export const Done = Type.Object({ message: Type.String() }, { title: 'Done' });
export const Made = Type.Object({ id: Id, message: Type.String() }, { title: 'Made' });
