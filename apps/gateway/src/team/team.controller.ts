import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Id, IsoTime } from '@mgw/contracts';
import { IdPipe } from '../requests/id.pipe';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, Roles, SessionOf } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { AddUserRequest } from '../users/users.requests';
import { UsersService } from '../users/users.service';

const TeamResponse = Type.Object(
  {
    users: Type.Array(
      Type.Object({
        id: Id,
        email: Type.String(),
        name: Type.String(),
        role: Type.Union([Type.Literal('owner'), Type.Literal('member')]),
        created_at: IsoTime,
      }),
    ),
  },
  { title: 'Team' },
);

/** The users of a business. Owners manage it, members work with messages. */
@Controller('api/client/team')
@SessionOf('owner', 'member')
export class TeamController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Responds(TeamResponse, 'List the people of the business')
  async list(@CurrentUser() { business_id }: BusinessUser) {
    return { users: await this.users.listByBusiness(business_id) };
  }

  @Post()
  @HttpCode(200)
  @Roles(['owner'])
  @Responds(Made, 'Add a person', { errors: ['CONFLICT'] })
  async add(@CurrentUser() owner: BusinessUser, @Body() request: AddUserRequest) {
    return { id: await this.users.addToBusiness(owner, owner.business_id, request), message: 'Added. They can log in now.' };
  }

  @Delete(':id')
  @Roles(['owner'])
  @Responds(Done, 'Remove a person; their sessions end at once', { errors: ['CONFLICT'] })
  async remove(@CurrentUser() owner: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.users.remove(owner, id);
    return { message: 'Removed.' };
  }
}
