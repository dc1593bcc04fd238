import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Id, IsoTime, PLANS } from '@mgw/contracts';
import { ChangeBusinessRequest, CreateBusinessRequest } from '../businesses/businesses.requests';
import { BusinessesService } from '../businesses/businesses.service';
import { broadcastDailyLimit } from '../businesses/businesses.store';
import { zoneFields, ZONE_FIELDS } from '../businesses/zones';
import { IdPipe } from '../requests/id.pipe';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';
import { AddedPerson, PasswordLinks } from '../users/password-links';
import { AddUserRequest } from '../users/users.requests';
import { UsersService } from '../users/users.service';

const BusinessesResponse = Type.Object(
  {
    businesses: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        plan: Type.Union(PLANS.map((plan) => Type.Literal(plan))),
        ...ZONE_FIELDS,
        broadcast_daily_limit: Type.Integer({ description: 'Recipients of broadcasts in a day: the operator’s limit, or the plan’s.' }),
        created_at: IsoTime,
      }),
    ),
  },
  { title: 'Businesses' },
);

/** Businesses and their users (spec §11). */
@Controller('api/admin/businesses')
@NeedsSession()
export class BusinessesController {
  constructor(
    private readonly businesses: BusinessesService,
    private readonly users: UsersService,
    private readonly links: PasswordLinks,
  ) {}

  @Get()
  @Responds(BusinessesResponse, 'List the businesses')
  async list() {
    const businesses = await this.businesses.list();
    return {
      businesses: businesses.map((business) => {
        const { id, name, plan, created_at } = business;
        const broadcast_daily_limit = broadcastDailyLimit(business);
        return { id, name, plan, ...zoneFields(business), broadcast_daily_limit, created_at: created_at.toISOString() };
      }),
    };
  }

  @Post()
  @Responds(Made, 'Create a business')
  async create(@CurrentUser() operator: SessionUser, @Body() request: CreateBusinessRequest) {
    return { id: await this.businesses.create(operator, request), message: 'Business created.' };
  }

  @Patch(':id')
  @Responds(Done, 'Change a business')
  async change(@CurrentUser() operator: SessionUser, @Param('id', IdPipe) id: number, @Body() request: ChangeBusinessRequest) {
    await this.businesses.change(operator, id, request);
    return { message: 'Business changed.' };
  }

  @Post(':id/users')
  @Responds(AddedPerson, 'Add a user to a business with a password, or invite them with a link', { errors: ['CONFLICT'] })
  async addUser(@CurrentUser() operator: SessionUser, @Param('id', IdPipe) business_id: number, @Body() request: AddUserRequest) {
    return this.links.added(await this.users.addToBusiness(operator, business_id, request));
  }
}
