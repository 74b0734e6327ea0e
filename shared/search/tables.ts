import type { InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';
import { ENDING_LENGTH, WORD_LENGTH, type EndingKind, type WordKind } from './words';

/**
 * A word of a title, an author's name, an ISBN or a post, and the id of the title, author or post:
 * see `words.ts`.
 */
@Table({ tableName: 'search_word', timestamps: false })
export class SearchWord extends Model<
  InferAttributes<SearchWord>,
  InferCreationAttributes<SearchWord>
> {
  @PrimaryKey @Column(DataType.STRING(6)) declare kind: WordKind;
  @PrimaryKey @Column(DataType.STRING(WORD_LENGTH)) declare word: string;
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
}

/** An ending of a word. Unused endings are removed after a while. */
@Table({ tableName: 'search_ending', timestamps: false })
export class SearchEnding extends Model<
  InferAttributes<SearchEnding>,
  InferCreationAttributes<SearchEnding>
> {
  @PrimaryKey @Column(DataType.STRING(6)) declare kind: EndingKind;
  @PrimaryKey @Column(DataType.STRING(ENDING_LENGTH)) declare ending: string;
  @PrimaryKey @Column(DataType.STRING(WORD_LENGTH)) declare word: string;
}

export const searchTables = [SearchWord, SearchEnding];
