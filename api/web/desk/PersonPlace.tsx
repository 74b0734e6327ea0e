import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { Confirmed } from '../shared/Confirmed';
import { Heading } from '../shared/Heading';
import { ProblemNotice } from '../shared/ProblemNotice';
import { Shown } from '../shared/Shown';
import { LONG_WAIT_S, newIntent, useWrite } from '../shared/write';
import { WriteButton } from '../shared/WriteButton';
import { WriteProblem } from '../shared/WriteProblem';
import {
  changePerson,
  erasePerson,
  exportPerson,
  findPeople,
  loansOf,
  resetPassword,
  type Person,
} from './calls';
import { Listing } from '../shared/Listing';
import { roleOf, Status } from './People';
import { deskTexts } from './texts';

const of = deskTexts.people;

function saveExport(userId: number, content: unknown): void {
  const address = URL.createObjectURL(
    new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = address;
  link.download = of.file(userId);
  link.click();
  URL.revokeObjectURL(address);
}

function Loans({ userId }: { readonly userId: number }) {
  const query = useQuery({ queryKey: ['desk', 'loans', userId], queryFn: () => loansOf(userId) });
  return (
    <section aria-label={of.loans}>
      <h2>{of.loans}</h2>
      <Shown query={query}>
        {({ items }) => (
          <Listing
            name={of.loans}
            columns={[deskTexts.overdue.title, deskTexts.overdue.due]}
            rows={items}
            keyOf={({ borrowId }) => borrowId}
            cells={({ title, dueAt }) => [title, deskTexts.day(dueAt)]}
            none={of.noLoans}
          />
        )}
      </Shown>
    </section>
  );
}

/** Which role somebody has. */
function Role({ person: { userId, role } }: { readonly person: Person }) {
  const change = useWrite(changePerson);
  return (
    <>
      <WriteButton
        write={change}
        input={{ userId, role: role === 'user' ? 'lecturer' : 'user' }}
        label={role === 'user' ? of.makeLecturer : of.makeReader}
        isSecondary
      />
      <WriteProblem write={change} />
    </>
  );
}

function Block({ person: { userId, username, status } }: { readonly person: Person }) {
  const change = useWrite(changePerson);
  return (
    <>
      {status === 'active' ? (
        <Confirmed
          label={of.block}
          question={of.blockQuestion(username)}
          explained={of.blockExplained}
          confirm={of.block}
          isBusy={change.isPending}
          act={() => {
            change.mutate(newIntent({ userId, status: 'blocked' }));
          }}
        />
      ) : (
        <WriteButton write={change} input={{ userId, status: 'active' }} label={of.unblock} />
      )}
      <WriteProblem write={change} />
    </>
  );
}

function Reset({ userId }: { readonly userId: number }) {
  const reset = useWrite(resetPassword, { waitS: LONG_WAIT_S });
  return (
    <>
      <WriteButton write={reset} input={userId} label={of.reset} isSecondary />
      <WriteProblem write={reset} />
      {reset.data && (
        <p role="status" className="notice">
          {of.resetToken(deskTexts.time(reset.data.expiresAt))} <code>{reset.data.resetToken}</code>
        </p>
      )}
    </>
  );
}

function Export({ userId }: { readonly userId: number }) {
  const save = useMutation({
    mutationFn: () => exportPerson(userId),
    networkMode: 'always',
    onSuccess: (content) => {
      saveExport(userId, content);
    },
  });
  return (
    <>
      <button
        type="button"
        className="secondary"
        aria-busy={save.isPending}
        onClick={() => {
          save.mutate();
        }}
      >
        {of.exportAll}
      </button>
      <ProblemNotice error={save.error} />
    </>
  );
}

function Erase({ person: { userId, username } }: { readonly person: Person }) {
  const [, navigate] = useLocation();
  const erase = useWrite(erasePerson, {
    onDone: () => {
      navigate('/people');
    },
  });
  return (
    <>
      <Confirmed
        label={of.erase}
        question={of.eraseQuestion(username)}
        explained={of.eraseExplained}
        confirm={of.erase}
        isBusy={erase.isPending}
        act={() => {
          erase.mutate(newIntent(userId));
        }}
      />
      <WriteProblem write={erase} />
    </>
  );
}

/** Shows one person, and what an administrator can do. */
export function PersonPlace({
  userId,
  username,
}: {
  readonly userId: number;
  readonly username: string;
}) {
  const query = useQuery({
    queryKey: ['desk', 'person', userId],
    queryFn: async () =>
      (await findPeople(username, 1)).items.find((one) => one.userId === userId) ?? null,
  });
  return (
    <>
      <Heading>{username}</Heading>
      <p>
        <Link href="/people">{of.all}</Link>
      </p>
      <Shown query={query}>
        {(person) =>
          person ? (
            <>
              <p>
                {roleOf(person)} <Status person={person} />
              </p>
              <div className="actions">
                <Role person={person} />
                <Reset userId={userId} />
                <Export userId={userId} />
                <Block person={person} />
                <Erase person={person} />
              </div>
              <Loans userId={userId} />
            </>
          ) : (
            <p role="status">{deskTexts.none}</p>
          )
        }
      </Shown>
    </>
  );
}
