import { Frame } from '../shared/Frame';
import { SignIn } from '../shared/SignIn';
import { useSession } from '../shared/session';
import { showPage } from '../shared/show-page';
import { texts } from '../shared/texts';

function ConsolePage() {
  const { user } = useSession();
  return (
    <Frame name={texts.name} navigation={null}>
      {user ? <p>{texts.nothingHere}</p> : <SignIn />}
    </Frame>
  );
}

showPage(<ConsolePage />);
