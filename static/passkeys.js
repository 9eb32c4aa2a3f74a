// The script of passkeys. Each .passkey element contains a button that asks an authenticator to answer a challenge and
// submits the form around it with the response. The server verifies it. The element has the texts for failures.

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const base64url = (buffer) => {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
};

// challenge requests the options for the authenticator.
const challenge = async (purpose, form) => {
  const body = new URLSearchParams({ for: purpose, username: form.elements.username?.value ?? "",
    invitation: form.elements.invitation?.value ?? "" });
  const answer = await fetch("/passkeys/challenge", { method: "POST", body });
  const said = await answer.json();
  if (said.location) {
    location.assign(said.location);
    return null;
  }
  if (!answer.ok) throw new Refusal(said.message);
  return said.publicKey;
};

class Refusal extends Error {}

const known = (list = []) => list.map((one) => ({ ...one, id: bytes(one.id) }));

const create = async (options) => {
  const made = await navigator.credentials.create({ publicKey: { ...options, challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) }, excludeCredentials: known(options.excludeCredentials) } });
  return { clientDataJSON: base64url(made.response.clientDataJSON),
    attestationObject: base64url(made.response.attestationObject),
    transports: made.response.getTransports?.() ?? [], of: made };
};

const get = async (options) => {
  const used = await navigator.credentials.get({ publicKey: { ...options, challenge: bytes(options.challenge),
    allowCredentials: known(options.allowCredentials) } });
  const { clientDataJSON, authenticatorData, signature, userHandle } = used.response;
  return { clientDataJSON: base64url(clientDataJSON), authenticatorData: base64url(authenticatorData),
    signature: base64url(signature),
    userHandle: userHandle ? base64url(userHandle) : undefined, of: used };
};

// reason explains a failure to the user.
const reason = (failure, texts) => {
  if (failure instanceof Refusal) return failure.message;
  switch (failure.name) {
    case "NotAllowedError":
    case "AbortError":
      return texts.none;
    case "InvalidStateError":
      return texts.exists;
    case "SecurityError":
      return texts.address;
    case "TypeError":
    case "SyntaxError":
      return texts.unreachable;
  }
  return texts.problem.replace("{problem}", () => failure.message);
};

const prepare = (place) => {
  const form = place.closest("form");
  const button = place.querySelector("button");
  const answer = place.querySelector("input");
  const said = place.querySelector("[data-message]");
  const purpose = place.dataset.passkey;
  const making = purpose === "new" || purpose === "signup";
  place.querySelector("[data-supported]").hidden = false;
  place.querySelector("[data-unsupported]")?.remove();
  button.addEventListener("click", async () => {
    said.textContent = "";
    for (const name of making ? ["username", "name"] : []) {
      if (form.elements[name]?.reportValidity?.() === false) return;
    }
    button.disabled = true;
    try {
      const options = await challenge(purpose, form);
      if (!options) return;
      const { of, ...response } = await (making ? create(options) : get(options));
      answer.value = JSON.stringify({ id: of.id, rawId: base64url(of.rawId), type: of.type,
        authenticatorAttachment: of.authenticatorAttachment ?? undefined, clientExtensionResults: {}, response });
      form.submit(); // without validation, since fields that a passkey replaces may be empty
    } catch (failure) {
      said.textContent = reason(failure, place.dataset);
      button.disabled = false;
      button.focus();
    }
  });
  // The button works again when the user returns with the back button.
  addEventListener("pageshow", () => {
    button.disabled = false;
    answer.value = "";
  });
};

if (window.PublicKeyCredential) document.querySelectorAll("[data-passkey]").forEach(prepare);
