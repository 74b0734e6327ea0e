import { useQuery } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import {
  Button,
  ComboBox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Tag,
  TagGroup,
  TagList,
  Text,
} from 'react-aria-components';
import { texts } from '../../shared/texts';
import { tagsQuery } from './queries';

export interface TagPickerProps {
  readonly tags: readonly string[];
  readonly change: (tags: readonly string[]) => void;
}

function ChosenTags({ tags, change }: TagPickerProps) {
  if (tags.length === 0) return null;
  return (
    <TagGroup
      aria-label={texts.posts.chosenTags}
      onRemove={(removed) => {
        change(tags.filter((tag) => !removed.has(tag)));
      }}
    >
      <TagList className="tags">
        {tags.map((tag) => (
          <Tag key={tag} id={tag} textValue={tag} className="tag">
            {tag}
            <Button
              slot="remove"
              aria-label={texts.posts.removeTag(tag)}
              className="small secondary"
            >
              ×
            </Button>
          </Tag>
        ))}
      </TagList>
    </TagGroup>
  );
}

/** Lets the user choose tags that begin with the typed text, or a new one as typed. */
export function TagPicker({ tags, change }: TagPickerProps) {
  const [typed, setTyped] = useState('');
  const start = typed.trim();
  const { data, isFetching, isPlaceholderData } = useQuery({
    ...tagsQuery(start),
    enabled: start !== '',
  });
  // Until the answer is there, the list has those of the one before that still fit.
  const fits = (name: string) =>
    !isPlaceholderData || name.toLowerCase().startsWith(start.toLowerCase());
  // Where nothing is typed the list closes: while it is open, the rest of the page is hidden from
  // screen readers.
  const offered =
    start === ''
      ? []
      : (data?.items.filter(({ name }) => !tags.includes(name) && fits(name)) ?? []);
  const add = (name: string) => {
    const tag = name.trim();
    if (tag !== '' && !tags.includes(tag)) change([...tags, tag]);
    setTyped('');
  };
  const addTyped = (event: KeyboardEvent<HTMLInputElement>) => {
    // With an option in focus, Enter chooses that; and Enter sends no form while a tag is typed.
    if (
      event.key !== 'Enter' ||
      // This Enter ends a composition of letters.
      event.nativeEvent.isComposing ||
      start === '' ||
      event.currentTarget.getAttribute('aria-activedescendant')
    )
      return;
    event.preventDefault();
    add(typed);
  };
  return (
    <div className="tag-picker">
      <ComboBox
        allowsCustomValue
        // Opens while one types, also before the answer is there.
        allowsEmptyCollection={start !== ''}
        menuTrigger="input"
        items={offered}
        defaultFilter={() => true}
        inputValue={typed}
        onInputChange={setTyped}
        value={null}
        onChange={(key) => {
          if (key !== null) add(String(key));
        }}
      >
        <Label>{texts.posts.tags}</Label>
        <Input onKeyDownCapture={addTyped} autoCapitalize="none" maxLength={50} />
        <Text slot="description">{texts.posts.tagsHint}</Text>
        <Popover className="options">
          <ListBox<{ name: string; postCount: number }>
            renderEmptyState={() => (isFetching ? texts.loading : texts.posts.noSuchTag)}
          >
            {({ name, postCount }) => (
              <ListBoxItem id={name} textValue={name}>
                <span>{name}</span>
                <small>{texts.posts.postCount(postCount)}</small>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      <ChosenTags tags={tags} change={change} />
    </div>
  );
}
