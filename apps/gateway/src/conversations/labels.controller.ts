import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CreateLabel, DeleteLabel, ListLabels, UpdateLabel } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, entryBy } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { withoutNulls } from '../requests/without-nulls';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ChangeLabelRequest, LabelRequest } from './conversations.requests';

const LabelsResponse = Type.Object(ListLabels.response.properties, { title: 'Labels' });

@Controller('api/client/labels')
@NeedsSession()
export class LabelsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(LabelsResponse, 'List the labels of conversations')
  async list(@CurrentUser() { business_id }: BusinessUser) {
    return this.rpc.call(ListLabels, { business_id });
  }

  @Post()
  @Responds(Made, 'Create a label', { errors: ['CONFLICT'] })
  async create(@CurrentUser() user: BusinessUser, @Body() label: LabelRequest) {
    const { id } = await this.audit.record(
      entryBy(user, 'label.created', null, { ...label }),
      () => this.rpc.call(CreateLabel, { business_id: user.business_id, ...label }),
      (created) => ({ target: `label:${created.id}` }),
    );
    return { id, message: 'Created.' };
  }

  @Put(':id')
  @Responds(Done, 'Change a label', { errors: ['CONFLICT', 'NOT_FOUND'] })
  async change(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() request: ChangeLabelRequest) {
    const detail = withoutNulls(request);
    await this.audit.record(entryBy(user, 'label.changed', `label:${id}`, detail), () =>
      this.rpc.call(UpdateLabel, { business_id: user.business_id, id, ...detail }),
    );
    return { message: 'Saved.' };
  }

  @Delete(':id')
  @Responds(Done, 'Delete a label and remove it from its conversations', { errors: ['NOT_FOUND'] })
  async delete(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.audit.record(
      entryBy(user, 'label.deleted', `label:${id}`),
      () => this.rpc.call(DeleteLabel, { business_id: user.business_id, id }),
      (deleted) => ({ detail: deleted }),
    );
    return { message: 'Deleted.' };
  }
}
