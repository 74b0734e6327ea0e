import type {
  CreationOptional,
  InferAttributes,
  InferCreationAttributes,
  NonAttribute,
} from 'sequelize';
import {
  AllowNull,
  BelongsTo,
  Column,
  DataType,
  Default,
  Model,
  PrimaryKey,
  Table,
} from 'sequelize-typescript';
import { User } from '../identity/tables';
import {
  BARCODE_LENGTH,
  type BorrowStatus,
  type CopyStatus,
  type HoldStatus,
  type PolicyName,
  type Reminder,
} from './commands';
import { DEFAULT_KIND } from './loan-rules';

@Table({ tableName: 'author', timestamps: false })
export class Author extends Model<InferAttributes<Author>, InferCreationAttributes<Author>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column(DataType.STRING(255)) declare name: string;
  /** `folded(name)`, which the author filter compares. */
  @AllowNull(false)
  @Column({ type: DataType.STRING(512), field: 'search_name' })
  declare searchName: string;
}

/** The image addresses of titles. */
@Table({ tableName: 'book_img', timestamps: false })
export class BookImg extends Model<InferAttributes<BookImg>, InferCreationAttributes<BookImg>> {
  @PrimaryKey
  @Column({ type: DataType.BIGINT, autoIncrement: true })
  declare id: CreationOptional<number>;
  @AllowNull(false) @Column(DataType.STRING(255)) declare url: string;
}

@Table({ tableName: 'book_info', timestamps: false })
export class BookInfo extends Model<InferAttributes<BookInfo>, InferCreationAttributes<BookInfo>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false)
  @Column({ type: DataType.STRING(255), field: 'book_title' })
  declare title: string;
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'book_bookAuthor' })
  declare authorId: number;
  @Column(DataType.STRING(13)) declare isbn: string | null;
  @Column({ type: DataType.DATE, field: 'publication_date' }) declare publicationDate: Date | null;
  @Column({ type: DataType.STRING(255), field: 'book_img' }) declare bookImg: string | null;
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'total_stock' })
  declare totalStock: number;
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'available_stock' })
  declare availableStock: number;
  /** How often it was ever borrowed. Searches sort by this popularity. */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'borrow_count' })
  declare borrowCount: number;
  /** Version of the attributes; stock does not change it. */
  @Default(1) @AllowNull(false) @Column(DataType.BIGINT) declare version: number;
  /** Number of its events so far: the `sequence` of the last one. */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'event_count' })
  declare eventCount: CreationOptional<number>;
  /** `folded(title)`, which the title filter compares. */
  @AllowNull(false)
  @Column({ type: DataType.STRING(512), field: 'search_title' })
  declare searchTitle: string;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'modified_at' })
  declare modifiedAt: Date;
  /** A deleted title keeps its row, so that histories keep its name. */
  @Column({ type: DataType.DATE(3), field: 'deleted_at' }) declare deletedAt: Date | null;

  @BelongsTo(() => Author, 'authorId') declare author?: NonAttribute<Author>;
}

/** A physical copy. */
@Table({ tableName: 'book', timestamps: false })
export class Book extends Model<InferAttributes<Book>, InferCreationAttributes<Book>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'book_info_id' })
  declare bookInfoId: number;
  @AllowNull(false) @Column(DataType.BOOLEAN) declare available: boolean;
  @AllowNull(false) @Column(DataType.STRING(16)) declare status: CopyStatus;
  /** Its kind in loan rules. */
  @Default(DEFAULT_KIND)
  @AllowNull(false)
  @Column(DataType.STRING(64))
  declare kind: CreationOptional<string>;
  /** Unique among copies that are not deleted. */
  @Column(DataType.STRING(BARCODE_LENGTH)) declare barcode: string | null;
  @Column({ type: DataType.DATE(3), field: 'deleted_at' }) declare deletedAt: Date | null;

  @BelongsTo(() => BookInfo, 'bookInfoId') declare bookInfo?: NonAttribute<BookInfo>;
}

/** A borrow. */
@Table({ tableName: 'book_user', timestamps: false })
export class BookUser extends Model<InferAttributes<BookUser>, InferCreationAttributes<BookUser>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  /** Null for an old closed borrow whose reader is no longer kept. */
  @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number | null;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'book_id' }) declare bookId: number;
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'book_info_id' })
  declare bookInfoId: number;
  @AllowNull(false) @Column(DataType.STRING(16)) declare status: BorrowStatus;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'borrowed_at' })
  declare borrowedAt: Date;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'due_at' }) declare dueAt: Date;
  @Column({ type: DataType.DATE(3), field: 'returned_at' }) declare returnedAt: Date | null;
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.INTEGER, field: 'renewal_count' })
  declare renewalCount: number;
  /** The last reminder, and its due date. */
  @Column(DataType.STRING(8)) declare reminder: Reminder | null;
  @Column({ type: DataType.DATE(3), field: 'reminder_due_at' })
  declare reminderDueAt: Date | null;

  @BelongsTo(() => User, 'userId') declare user?: NonAttribute<User>;
  @BelongsTo(() => BookInfo, 'bookInfoId') declare bookInfo?: NonAttribute<BookInfo>;
}

/** A reader's place in the line of a title. */
@Table({ tableName: 'book_hold', timestamps: false })
export class BookHold extends Model<InferAttributes<BookHold>, InferCreationAttributes<BookHold>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'book_info_id' })
  declare bookInfoId: number;
  /** The copy set aside for the reader. */
  @Column({ type: DataType.BIGINT, field: 'book_id' }) declare bookId: number | null;
  @AllowNull(false) @Column(DataType.STRING(16)) declare status: HoldStatus;
  /** Place among all holds that the title ever had. */
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'line_no' }) declare lineNo: number;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'placed_at' }) declare placedAt: Date;
  @Column({ type: DataType.DATE(3), field: 'ready_at' }) declare readyAt: Date | null;
  /** When the copy goes to the next reader unless it is picked up. */
  @Column({ type: DataType.DATE(3), field: 'expires_at' }) declare expiresAt: Date | null;
  @Column({ type: DataType.DATE(3), field: 'closed_at' }) declare closedAt: Date | null;

  @BelongsTo(() => User, 'userId') declare user?: NonAttribute<User>;
  @BelongsTo(() => BookInfo, 'bookInfoId') declare bookInfo?: NonAttribute<BookInfo>;
}

const DAY_MS = 24 * 3600 * 1000;

/** Returns the day of an instant: days since 1970-01-01, UTC. */
export const dayOf = (instant: Date): number => Math.floor(instant.getTime() / DAY_MS);

/** How often a title was borrowed on a day. Days without a borrow have no row. */
@Table({ tableName: 'borrow_day', timestamps: false })
export class BorrowDay extends Model<
  InferAttributes<BorrowDay>,
  InferCreationAttributes<BorrowDay>
> {
  /** As `dayOf` counts it. */
  @PrimaryKey @Column(DataType.INTEGER) declare day: number;
  @PrimaryKey @Column({ type: DataType.BIGINT, field: 'book_info_id' }) declare bookInfoId: number;
  @AllowNull(false) @Column(DataType.INTEGER) declare borrows: number;
}

/** What administrators set about lending as a whole. */
@Table({ tableName: 'lending_policy', timestamps: false })
export class LendingPolicy extends Model<
  InferAttributes<LendingPolicy>,
  InferCreationAttributes<LendingPolicy>
> {
  @PrimaryKey @Column(DataType.STRING(32)) declare name: PolicyName;
  /** How often it was changed. */
  @AllowNull(false) @Column(DataType.BIGINT) declare version: number;
  /** JSON. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare content: string;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'modified_at' })
  declare modifiedAt: Date;
}

export const lendingTables = [
  Author,
  BookImg,
  BookInfo,
  Book,
  BookUser,
  BookHold,
  BorrowDay,
  LendingPolicy,
];
