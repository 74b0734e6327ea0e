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
import { FOLDED_LENGTH_MAX, TAG_LENGTH_MAX } from './tag';

@Table({ tableName: 'post', timestamps: false })
export class Post extends Model<InferAttributes<Post>, InferCreationAttributes<Post>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  /** The author. Without a foreign key, because authors need not be users here. */
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @AllowNull(false) @Column(DataType.STRING(255)) declare title: string;
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare content: string;
  /** JSON array of the tags in the author's spelling. Searches use `post_tag`. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare tags: string;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  /** Number of its events so far: the `sequence` of the last one. */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'event_count' })
  declare eventCount: CreationOptional<number>;
}

/**
 * A tag in its first spelling, or under its new name. A merged tag keeps its name and leads to the
 * other one, as a former name of a renamed tag does.
 */
@Table({ tableName: 'tag', timestamps: false })
export class Tag extends Model<InferAttributes<Tag>, InferCreationAttributes<Tag>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column(DataType.STRING(TAG_LENGTH_MAX)) declare name: string;
  /** `foldedTag(name)`, unique. */
  @AllowNull(false) @Column(DataType.STRING(FOLDED_LENGTH_MAX)) declare folded: string;
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'post_count' })
  declare postCount: number;
  /** Never a merged tag itself, so one step leads to the end. */
  @Column({ type: DataType.BIGINT, field: 'merged_into' }) declare mergedInto: number | null;
  /** Whether it is a former name of its target. Posts display the target's name then. */
  @Default(false)
  @AllowNull(false)
  @Column(DataType.BOOLEAN)
  declare renamed: CreationOptional<boolean>;
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'event_count' })
  declare eventCount: CreationOptional<number>;
}

/**
 * Former names of renamed or deleted tags. Only posts with one of these need a look-up of their
 * displayed tags (`shown-tags.ts`).
 */
@Table({ tableName: 'tag_former_name', timestamps: false })
export class TagFormerName extends Model<
  InferAttributes<TagFormerName>,
  InferCreationAttributes<TagFormerName>
> {
  @PrimaryKey @Column(DataType.STRING(FOLDED_LENGTH_MAX)) declare folded: string;
}

/**
 * The posts of each tag. Author and instant are copied from the post, so that one index answers a
 * search in its order.
 */
@Table({ tableName: 'post_tag', timestamps: false })
export class PostTag extends Model<InferAttributes<PostTag>, InferCreationAttributes<PostTag>> {
  @PrimaryKey @Column({ type: DataType.BIGINT, field: 'post_id' }) declare postId: number;
  @PrimaryKey @Column({ type: DataType.BIGINT, field: 'tag_id' }) declare tagId: number;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
}

/** The distinct words by which a post is found, folded, with spaces between: see `words.ts`. */
@Table({ tableName: 'post_text', timestamps: false })
export class PostWords extends Model<
  InferAttributes<PostWords>,
  InferCreationAttributes<PostWords>
> {
  @PrimaryKey @Column({ type: DataType.BIGINT, field: 'post_id' }) declare postId: number;
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare words: string;
}

export const postsTables = [Post, Tag, TagFormerName, PostTag, PostWords];
