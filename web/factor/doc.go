// Package factor checks second factors and passkeys: codes of authenticator apps, recovery codes
// and WebAuthn responses. It stores nothing. The caller makes sure that each code is accepted once
// and each challenge is answered once.
package factor
