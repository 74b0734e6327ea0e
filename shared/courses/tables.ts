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
import type { CourseStatus, SubscriptionStatus } from './commands';

@Table({ tableName: 'courses', timestamps: false })
export class Course extends Model<InferAttributes<Course>, InferCreationAttributes<Course>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  /** The lecturer. */
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @AllowNull(false)
  @Column({ type: DataType.STRING(255), field: 'course_name' })
  declare courseName: string;
  /** Most subscriptions that are not cancelled; null for no limit. */
  @Column(DataType.BIGINT) declare capacity: number | null;
  /** Subscriptions that are not cancelled. */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'subscriber_count' })
  declare subscriberCount: CreationOptional<number>;
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'video_count' })
  declare videoCount: CreationOptional<number>;
  @Default('open')
  @AllowNull(false)
  @Column(DataType.STRING(16))
  declare status: CreationOptional<CourseStatus>;
  /** Whether the last video completes the course. */
  @Default(false)
  @AllowNull(false)
  @Column({ type: DataType.BOOLEAN, field: 'completes_automatically' })
  declare completesAutomatically: CreationOptional<boolean>;
  /** Rows of the waitlist. */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'waiting_count' })
  declare waitingCount: CreationOptional<number>;
  /** Number of its events so far: the `sequence` of the last one. */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'event_count' })
  declare eventCount: CreationOptional<number>;
  /** `folded(courseName)`, which searches compare. */
  @AllowNull(false)
  @Column({ type: DataType.STRING(512), field: 'search_name' })
  declare searchName: string;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'modified_at' })
  declare modifiedAt: Date;
  /** A deleted course keeps its row, so that histories keep its name. */
  @Column({ type: DataType.DATE(3), field: 'deleted_at' })
  declare deletedAt: CreationOptional<Date | null>;

  @BelongsTo(() => User, 'userId') declare lecturer?: NonAttribute<User>;
}

@Table({ tableName: 'course_video', timestamps: false })
export class CourseVideo extends Model<
  InferAttributes<CourseVideo>,
  InferCreationAttributes<CourseVideo>
> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'course_id' }) declare courseId: number;
  @AllowNull(false) @Column(DataType.STRING(255)) declare title: string;
  @AllowNull(false) @Column(DataType.STRING(2048)) declare url: string;
  /** Counts from 1 within a course, without gaps. */
  @AllowNull(false) @Column(DataType.BIGINT) declare position: number;
  @Column({ type: DataType.INTEGER, field: 'duration_seconds' }) declare durationSeconds:
    | number
    | null;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
}

/** A user's subscription to a course. */
@Table({ tableName: 'user_courses', timestamps: false })
export class UserCourse extends Model<
  InferAttributes<UserCourse>,
  InferCreationAttributes<UserCourse>
> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'course_id' }) declare courseId: number;
  @AllowNull(false) @Column(DataType.STRING(255)) declare status: SubscriptionStatus;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'modified_at' })
  declare modifiedAt: Date;
  @Column({ type: DataType.DATE(3), field: 'completed_at' }) declare completedAt: Date | null;

  @BelongsTo(() => Course, 'courseId') declare course?: NonAttribute<Course>;
  @BelongsTo(() => User, 'userId') declare user?: NonAttribute<User>;
}

/** A user who waits for a seat. */
@Table({ tableName: 'course_waitlist', timestamps: false })
export class CourseWait extends Model<
  InferAttributes<CourseWait>,
  InferCreationAttributes<CourseWait>
> {
  /** The id that the subscription will have. */
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'course_id' }) declare courseId: number;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  /** The order of the line. It has gaps. */
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'place_no' }) declare placeNo: number;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;

  @BelongsTo(() => User, 'userId') declare user?: NonAttribute<User>;
}

/** A video that a user has completed. */
@Table({ tableName: 'video_completion', timestamps: false })
export class VideoCompletion extends Model<
  InferAttributes<VideoCompletion>,
  InferCreationAttributes<VideoCompletion>
> {
  @PrimaryKey @Column({ type: DataType.BIGINT, field: 'course_id' }) declare courseId: number;
  @PrimaryKey @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @PrimaryKey @Column({ type: DataType.BIGINT, field: 'video_id' }) declare videoId: number;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'completed_at' })
  declare completedAt: Date;
}

export const coursesTables = [Course, CourseVideo, UserCourse, CourseWait, VideoCompletion];
