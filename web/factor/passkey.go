package factor

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// MaxAnswerBytes is the maximum size of a browser's response to a challenge, in bytes.
const MaxAnswerBytes = 32 << 10

// ChallengeLifetime is how long a challenge is valid.
const ChallengeLifetime = 5 * time.Minute

// Site is the WebAuthn relying party: passkeys are created for one site and work only there.
type Site struct {
	id     string // the host without its port
	origin string
	name   string // which some browsers show
}

// ParseSite returns the site with a name at an address such as https://blog.example.org. It reports
// false if the host is an IP address, for which browsers support no passkeys.
func ParseSite(address, name string) (Site, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || net.ParseIP(u.Hostname()) != nil {
		return Site{}, false
	}
	return Site{id: strings.ToLower(u.Hostname()), origin: strings.ToLower(u.Scheme + "://" + u.Host), name: name}, true
}

// Account is the user whose passkeys are registered or checked.
type Account struct {
	ID          string
	Username    string
	DisplayName string
	Passkeys    []domain.Passkey
}

// Challenge is a WebAuthn challenge for a browser.
type Challenge struct {
	ID      string // random; the response repeats it
	Options []byte // the JSON options for the browser
	State   []byte // the state that the response is checked against
}

// BeginRegistration returns the challenge for a new passkey. The passkey must be discoverable and
// verify its user. The options list the account's passkeys, so that the browser rejects an
// authenticator that already has one.
func (s Site) BeginRegistration(h Account) (Challenge, error) {
	server, err := s.server()
	if err != nil {
		return Challenge{}, err
	}
	user := h.user()
	var known []protocol.CredentialDescriptor
	for _, c := range user.credentials {
		known = append(known, c.Descriptor())
	}
	options, state, err := server.BeginRegistration(user, webauthn.WithExclusions(known),
		webauthn.WithConveyancePreference(protocol.PreferNoAttestation),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(), ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired}))
	if err != nil {
		return Challenge{}, fmt.Errorf("begin the registration of a passkey: %w", err)
	}
	return newChallenge(options.Response, state)
}

// FinishRegistration checks the response to BeginRegistration and returns the new passkey, without
// a name.
func (s Site) FinishRegistration(h Account, state, answer []byte, now time.Time) (domain.Passkey, error) {
	server, session, err := s.resumeSession(state)
	if err != nil {
		return domain.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return domain.Passkey{}, errRejected(err)
	}
	credential, err := server.CreateCredential(h.user(), session, parsed)
	if err != nil {
		return domain.Passkey{}, errRejected(err)
	}
	credential.Attestation = webauthn.CredentialAttestation{} // not requested
	return withCredential(*credential, domain.Passkey{Created: domain.Timestamp(now)})
}

// BeginLogin returns the challenge to use one of the account's passkeys, or, without an account id,
// any user's passkey.
func (s Site) BeginLogin(h Account) (Challenge, error) {
	server, err := s.server()
	if err != nil {
		return Challenge{}, err
	}
	required := webauthn.WithUserVerification(protocol.VerificationRequired)
	if h.ID == "" {
		options, state, err := server.BeginDiscoverableLogin(required)
		if err != nil {
			return Challenge{}, fmt.Errorf("begin a log-in by passkey: %w", err)
		}
		return newChallenge(options.Response, state)
	}
	options, state, err := server.BeginLogin(h.user(), required)
	if err != nil {
		return Challenge{}, fmt.Errorf("begin the use of a passkey: %w", err)
	}
	return newChallenge(options.Response, state)
}

// ParseAnswer returns which challenge a response answers, and which user it claims to be from;
// empty: the authenticator names none. FinishLogin checks the claim.
func ParseAnswer(answer []byte) (challengeID, userID string, err error) {
	var parsed struct {
		Response struct {
			ClientData protocol.URLEncodedBase64 `json:"clientDataJSON"`
			UserHandle protocol.URLEncodedBase64 `json:"userHandle"`
		} `json:"response"`
	}
	var client struct {
		Challenge string `json:"challenge"`
	}
	if len(answer) > MaxAnswerBytes {
		return "", "", errRejected(fmt.Errorf("the passkey's response is longer than %d bytes", MaxAnswerBytes))
	}
	if err := errors.Join(json.Unmarshal(answer, &parsed), json.Unmarshal(parsed.Response.ClientData,
		&client)); err != nil {
		return "", "", errRejected(err)
	}
	return client.Challenge, string(parsed.Response.UserHandle), nil
}

// FinishLogin checks the response to BeginLogin and returns the passkey that was used, with its new
// state.
func (s Site) FinishLogin(h Account, state, answer []byte, now time.Time) (domain.Passkey, error) {
	server, session, err := s.resumeSession(state)
	if err != nil {
		return domain.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return domain.Passkey{}, errRejected(err)
	}
	var used *webauthn.Credential
	if len(session.UserID) > 0 {
		used, err = server.ValidateLogin(h.user(), session, parsed)
	} else {
		used, err = server.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return h.user(), nil },
			session, parsed)
	}
	if err != nil {
		return domain.Passkey{}, errRejected(err)
	}
	if used.Authenticator.CloneWarning {
		return domain.Passkey{}, errRejected(errors.New("the passkey's counter went back: it may have been cloned"))
	}
	for _, p := range h.Passkeys {
		if p.ID == passkeyID(used.ID) {
			p.LastUsed = domain.Timestamp(now)
			return withCredential(*used, p)
		}
	}
	return domain.Passkey{}, errRejected(errors.New("the passkey is not one of the user's"))
}

func (s Site) server() (*webauthn.WebAuthn, error) {
	server, err := webauthn.New(&webauthn.Config{RPID: s.id, RPDisplayName: s.name, RPOrigins: []string{s.origin}})
	if err != nil {
		return nil, fmt.Errorf("configure passkeys for %s: %w", s.origin, err)
	}
	return server, nil
}

func (s Site) resumeSession(state []byte) (*webauthn.WebAuthn, webauthn.SessionData, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return nil, session, errRejected(err) // written by another release
	}
	server, err := s.server()
	return server, session, err
}

func newChallenge(options any, state *webauthn.SessionData) (Challenge, error) {
	text, optionsErr := json.Marshal(options)
	stored, err := json.Marshal(state)
	if err = cmp.Or(optionsErr, err); err != nil {
		return Challenge{}, fmt.Errorf("encode a passkey challenge: %w", err)
	}
	return Challenge{ID: state.Challenge, Options: text, State: stored}, nil
}

// errRejected returns an Invalid error about a passkey. err is the cause for the log.
func errRejected(err error) error {
	return &domain.Error{Kind: domain.Invalid, Err: err, Fields: map[string]locale.Message{
		"passkey": locale.M("This passkey was not accepted. Try again or log in another way.")}}
}

func passkeyID(id []byte) string { return base64.RawURLEncoding.EncodeToString(id) }

// withCredential returns p with the id and data of the credential.
func withCredential(c webauthn.Credential, p domain.Passkey) (domain.Passkey, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return p, fmt.Errorf("encode a passkey: %w", err)
	}
	p.ID, p.Data = passkeyID(c.ID), data
	return p, nil
}

// user adapts an Account to webauthn.User.
type user struct {
	Account
	credentials []webauthn.Credential
}

// user converts the account's passkeys. It leaves out passkeys that the library cannot parse, so
// they cannot be used.
func (h Account) user() user {
	u := user{Account: h}
	for _, p := range h.Passkeys {
		var c webauthn.Credential
		if json.Unmarshal(p.Data, &c) == nil {
			u.credentials = append(u.credentials, c)
		}
	}
	return u
}

func (u user) WebAuthnID() []byte                         { return []byte(u.ID) }
func (u user) WebAuthnName() string                       { return u.Username }
func (u user) WebAuthnCredentials() []webauthn.Credential { return u.credentials }
func (u user) WebAuthnDisplayName() string {
	if u.DisplayName != "" {
		return u.DisplayName
	}
	return u.Username
}
