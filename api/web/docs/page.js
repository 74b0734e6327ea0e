'use strict';

/** The page of the API's document: Swagger UI, and a sign-in that gives it the token. */

const form = document.getElementById('sign-in');
const signOut = document.getElementById('sign-out');
const state = document.getElementById('state');
/** Of who has signed in here. */
let token = null;

const ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // All operations at once take seconds to draw.
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  // Nobody outside is asked whether the document is valid.
  validatorUrl: null,
  onComplete() {
    // Where an identity provider issues the tokens there is no sign-in here: tokens are entered
    // under "Authorize".
    form.hidden = !ui.specSelectors.specJson().hasIn(['paths', '/api/auth/login']);
  },
});

/** The token of an account. Rejects with a sentence for people. */
async function signIn(username, password) {
  const response = await fetch('api/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail);
  return body;
}

signOut.addEventListener('click', () => {
  // The token ends at the service as well, so that a copy of it is of no use.
  void fetch('api/auth/logout', {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    keepalive: true,
  }).catch(() => undefined);
  token = null;
  ui.authActions.logout(['bearer']);
  state.textContent = '';
  signOut.hidden = true;
  form.hidden = false;
});

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const { username, password } = form.elements;
    const account = await signIn(username.value, password.value);
    token = account.accessToken;
    ui.preauthorizeApiKey('bearer', token);
    form.hidden = true;
    signOut.hidden = false;
    state.textContent = `Signed in as ${account.username}${account.isAdmin ? ' (administrator)' : ''}`;
    password.value = '';
  } catch (error) {
    state.textContent = error.message;
  } finally {
    button.disabled = false;
  }
});
