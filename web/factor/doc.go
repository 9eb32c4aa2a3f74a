// Package factor checks what proves who somebody is besides a password: codes of an
// authenticator app, recovery codes and passkeys. It keeps nothing: whoever calls it has
// each code taken once, and each challenge answered once.
package factor
