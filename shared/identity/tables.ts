import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import {
  AllowNull,
  Column,
  DataType,
  Default,
  Model,
  PrimaryKey,
  Table,
} from 'sequelize-typescript';
import type { Role } from '../command';
import type { Locale, UserStatus } from './commands';

@Table({ tableName: 'user', timestamps: false })
export class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column(DataType.STRING(255)) declare username: string;
  @AllowNull(false) @Column(DataType.STRING(16)) declare role: Role;
  @Default(false)
  @AllowNull(false)
  @Column({ type: DataType.BOOLEAN, field: 'is_admin' })
  declare isAdmin: CreationOptional<boolean>;
  /**
   * The case-folded name of an account made here, unique. Null for a user of an identity provider.
   */
  @Column({ type: DataType.STRING(512), field: 'login_name' }) declare loginName: string | null;
  /**
   * The look of the name, unique: see `lookOf`. Null for an old account whose name looks like that
   * of an older one.
   */
  @Column({ type: DataType.STRING(512), field: 'login_look' }) declare loginLook: CreationOptional<
    string | null
  >;
  @Column({ type: DataType.STRING(255), field: 'password_hash' }) declare passwordHash:
    | string
    | null;
  /** Whether the password was made for the account, and its owner has not chosen one yet. */
  @Default(false)
  @AllowNull(false)
  @Column({ type: DataType.BOOLEAN, field: 'must_change_password' })
  declare mustChangePassword: CreationOptional<boolean>;
  /**
   * How often the account has ended all of its tokens. Tokens of a sign-in carry the number of that
   * moment.
   */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.INTEGER, field: 'token_generation' })
  declare tokenGeneration: CreationOptional<number>;
  @Default('active')
  @AllowNull(false)
  @Column(DataType.STRING(16))
  declare status: CreationOptional<UserStatus>;
  /** The category by which loan rules are chosen. */
  @Default('general')
  @AllowNull(false)
  @Column(DataType.STRING(64))
  declare category: CreationOptional<string>;
  @Column(DataType.STRING(320)) declare email: CreationOptional<string | null>;
  @Default('en')
  @AllowNull(false)
  @Column(DataType.STRING(8))
  declare locale: CreationOptional<Locale>;
  /** The password reset that an administrator has issued and nobody has used. */
  @Column({ type: DataType.STRING(64), field: 'reset_id' }) declare resetId: CreationOptional<
    string | null
  >;
  @Column({ type: DataType.DATE(3), field: 'reset_expires_at' })
  declare resetExpiresAt: CreationOptional<Date | null>;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  /**
   * When the person was erased. The row stays, under `erasedName`, for the rows that refer to it.
   */
  @Column({ type: DataType.DATE(3), field: 'erased_at' })
  declare erasedAt: CreationOptional<Date | null>;
}

/** Tokens that ended before they expired, because somebody signed out. */
@Table({ tableName: 'ended_token', timestamps: false })
export class EndedToken extends Model<
  InferAttributes<EndedToken>,
  InferCreationAttributes<EndedToken>
> {
  @PrimaryKey @Column(DataType.STRING(64)) declare id: string;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'expires_at' })
  declare expiresAt: Date;
}

export const identityTables = [User, EndedToken];

/**
 * Returns the cache subject of a user. Requests with a token are checked against it, and other
 * people's views of the user depend on it.
 */
export const accountSubject = (userId: number): string => `account:${userId}`;
/** Cache subject of the names in other views. It changes when somebody is erased. */
export const NAMES_SUBJECT = 'account-names';
